"""Files and data sets on an S3 server of this machine, through a proxy that lets requests fail."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from s3_server import COMMAND, ROWS, S3Server, table


class Store(S3Server):
    def run_command(self, *arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [COMMAND, *arguments],
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stderr}{done.stdout}")
        return done.stdout + done.stderr

    def lake(self) -> Path:
        """Stores 12 files in two partitions, and plans to merge them. Returns the path of the plan."""
        for number in range(12):
            self.put_table(f"old/year={2024 + number % 2}/{number}.parquet", ROWS * number)
        plan = Path(self.directory.name) / f"{self.bucket}.json"
        self.run_command("dataset", "plan", self.url("old"), "--output", str(plan))
        self.assertEqual(len(json.loads(plan.read_text())["units"]), 2)
        return plan

    def check_new(self, new: str = "new") -> None:
        answer = self.run_command("dataset", "verify", self.url("old"), self.url(new))
        self.assertIn(f"The same {12 * ROWS} rows in 12 old files and 2 new files", answer)

    def test_commands_accept_urls(self) -> None:
        self.put_table("a.parquet", 0)
        self.put_table("b.parquet", ROWS)
        one, other = self.url("a.parquet"), self.url("b.parquet")
        self.assertIn(str(2 * ROWS), self.run_command("count", self.url("*.parquet")))
        self.assertIn("name 3", self.run_command("head", one))
        self.assertIn("name", self.run_command("inspect", one))
        self.run_command("check", one, other)
        self.assertIn("id", self.run_command("advise", one))
        self.run_command("merge", one, other, self.url("x/merged.parquet"), "--verify")
        self.run_command("rewrite", self.url("x/merged.parquet"), self.url("x/new.parquet"), "--verify")
        merged = pq.ParquetFile(pa.BufferReader(self.request("GET", "x/new.parquet"))).read(use_threads=False)
        self.assertEqual(merged, pa.concat_tables([table(0), table(ROWS)]))
        self.run_command("diff", one, other, "--with", self.url("x/new.parquet"))
        answer = self.run_command("count", self.url("none.parquet"), status=2)
        self.assertIn("there is no such object", answer)
        web = f"http://127.0.0.1:{self.proxy.port}/{self.bucket}/a.parquet"
        self.assertIn(str(ROWS), self.run_command("count", web))

    def test_a_data_set_is_rewritten(self) -> None:
        plan = self.lake()
        answer = self.run_command("dataset", "run", str(plan), "--out", self.url("new"))
        self.assertIn("The new directory is complete", answer)
        answer = self.run_command("dataset", "run", str(plan), "--out", self.url("new"))
        self.assertIn("0 of 2 units published", answer)
        answer = self.run_command("dataset", "swap", self.url("old"), self.url("new"), status=2)
        self.assertIn("cannot be renamed", answer)
        delete = ["dataset", "delete", self.url("old"), "--verified-by", self.url("new")]
        self.run_command(*delete, status=2)
        self.check_new()
        self.run_command(*delete)
        self.assertIn(str(12 * ROWS), self.run_command("count", self.url("new")))
        self.run_command("count", self.url("old"), status=2)

    def test_faults_lose_and_repeat_nothing(self) -> None:
        plan = self.lake()
        for number, kind in enumerate(["dropped", "lost", "truncated", "busy", "slow"]):
            chosen = random.Random(number)
            self.proxy.fault = lambda method, path: kind if chosen.random() < 0.3 else None
            new = f"new-{kind}"
            answer = self.run_command("dataset", "run", str(plan), "--out", self.url(new))
            self.assertIn("The new directory is complete", answer, kind)
            self.assertGreaterEqual(self.proxy.count[kind], 2, kind)
            self.proxy.fault = lambda method, path: None
            self.check_new(new)

    def test_each_put_whose_answer_is_lost_is_found_out(self) -> None:
        plan = self.lake()
        # Each object is stored, and the answer is lost every time but the last.
        seen: dict[str, int] = {}

        def fault(method: str, path: str) -> str | None:
            seen[path] = seen.get(path, 0) + (method == "PUT")
            return "lost" if method == "PUT" and seen[path] == 1 else None

        self.proxy.fault = fault
        self.run_command("dataset", "run", str(plan), "--out", self.url("new"))
        self.assertGreaterEqual(self.proxy.count["lost"], 5)
        self.proxy.fault = lambda method, path: None
        self.check_new()

    def test_a_process_that_is_killed_is_continued_elsewhere(self) -> None:
        plan = self.lake()
        # The process is killed in the middle of a put.
        for kills in range(0, 8, 2):
            new = f"new-{kills}"
            state: dict[str, subprocess.Popen[bytes] | int] = {"puts": 0}

            def fault(method: str, path: str) -> str | None:
                if method == "PUT":
                    state["puts"] = int(str(state["puts"])) + 1
                    if state["puts"] == kills + 1:
                        time.sleep(0.2)
                        process = state["process"]
                        assert isinstance(process, subprocess.Popen)
                        process.send_signal(signal.SIGKILL)
                        return "lost"
                return None

            self.proxy.fault = fault
            arguments = [str(COMMAND), "dataset", "run", str(plan), "--out", self.url(new)]
            quiet = subprocess.DEVNULL
            process = subprocess.Popen(
                arguments, env=self.environment(), stdout=quiet, stderr=quiet
            )
            state["process"] = process
            self.assertEqual(process.wait(60), -signal.SIGKILL, kills)
            self.proxy.fault = lambda method, path: None
            answer = self.run_command("dataset", "run", str(plan), "--out", self.url(new))
            self.assertIn("The new directory is complete", answer)
            self.check_new(new)

    def test_a_source_that_is_replaced_is_noticed(self) -> None:
        plan = self.lake()
        self.put_table("old/year=2024/4.parquet", 7)
        answer = self.run_command("dataset", "run", str(plan), "--out", self.url("new"), status=1)
        problem = "old/year=2024/4.parquet: it has changed since the plan was made"
        self.assertIn(problem, " ".join(answer.split()))

    def test_python_accepts_urls(self) -> None:
        self.put_table("old/year=2024/a.parquet", 0)
        script = f"""
import pyarrow as pa
from bytelane import parquet
rows = pa.table(parquet.read_table({self.url("old")!r}))
assert rows.num_rows == {ROWS} and rows.column_names == ["id", "name", "year"], rows
parquet.write_table(rows, {self.url("new.parquet")!r})
file = parquet.ParquetFile({self.url("new.parquet")!r})
assert file.metadata.num_rows == {ROWS}
assert pa.table(file.read()) == rows
"""
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
