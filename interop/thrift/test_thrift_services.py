"""Calls all methods of ThriftTest and SecondService over TCP, with Apache Thrift's Python library on the other side, in
both directions."""

import importlib
import logging
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from thrift.protocol.TBinaryProtocol import TBinaryProtocol, TBinaryProtocolAccelerated
from thrift.protocol.TCompactProtocol import TCompactProtocol, TCompactProtocolAccelerated
from thrift.Thrift import TApplicationException
from thrift.transport.TSocket import TServerSocket, TSocket
from thrift.transport.TTransport import TBufferedTransport, TFramedTransport, TTransportException

HERE = Path(__file__).resolve().parent
IDL = HERE.parents[1] / "crates/bytelane-thrift-build/tests/idl/thrift_test.thrift"
PROGRAM = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane-interop-services"

# Modules that Apache's compiler generates, set by `setUpModule`.
types = extended = second = None
generated = tempfile.TemporaryDirectory()


def setUpModule():
    global types, extended, second
    # Apache's server logs the failures that the tests request.
    logging.disable(logging.ERROR)
    # Debian's compiler does not support uuid.
    idl = Path(generated.name) / "thrift_test.thrift"
    idl.write_text(re.sub(r"\n  uuid testUuid.*", "", IDL.read_text()))
    subprocess.run(["thrift", "--gen", "py", "-out", generated.name, idl], check=True)
    sys.path.insert(0, generated.name)
    types = importlib.import_module("thrift_test.ttypes")
    extended = importlib.import_module("thrift_test.ExtendedTest")
    second = importlib.import_module("thrift_test.SecondService")


def tearDownModule():
    logging.disable(logging.NOTSET)
    sys.path.remove(generated.name)
    generated.cleanup()


PROTOCOLS = [
    ("binary", TBinaryProtocol),
    ("binary", TBinaryProtocolAccelerated),
    ("compact", TCompactProtocol),
    ("compact", TCompactProtocolAccelerated),
]
TRANSPORTS = [("framed", TFramedTransport), ("buffered", TBufferedTransport)]
COMBINATIONS = [(*protocol, *transport) for protocol in PROTOCOLS for transport in TRANSPORTS]

MAP_OF_MAPS = {-4: {n: n for n in range(-4, 0)}, 4: {n: n for n in range(1, 5)}}


def insanities(argument):
    numbers = types.Numberz
    empty = types.Insanity(userMap={}, xtructs=[])
    return {1: {numbers.TWO: argument, numbers.THREE: argument}, 2: {numbers.SIX: empty}}


def xtruct(text="", byte=0, i32=0, i64=0):
    return types.Xtruct(string_thing=text, byte_thing=byte, i32_thing=i32, i64_thing=i64)


class Handler:
    """Methods for Apache's server. Missing ones return their argument."""

    def __init__(self):
        self.numbers = []

    def __getattr__(self, name):
        if not re.fullmatch("(second)?test[A-Z].*", name):
            raise AttributeError(name)
        return lambda thing: thing

    def testVoid(self):
        pass

    def testMapMap(self, hello):
        return MAP_OF_MAPS

    def testInsanity(self, argument):
        return insanities(argument)

    def testMulti(self, arg0, arg1, arg2, arg3, arg4, arg5):
        return xtruct("Hello2", arg0, arg1, arg2)

    def testException(self, arg):
        if arg == "Xception":
            raise types.Xception(errorCode=1001, message=arg)
        if arg == "TException":
            raise TApplicationException(TApplicationException.INTERNAL_ERROR, arg)

    def testMultiException(self, arg0, arg1):
        message = f"This is an {arg0}"
        if arg0 == "Xception":
            raise types.Xception(errorCode=1001, message=message)
        if arg0 == "Xception2":
            raise types.Xception2(errorCode=2002, struct_thing=xtruct(message))
        return xtruct(arg1)

    def testOneway(self, secondsToSleep):
        self.numbers.append(secondsToSleep)

    def slept(self):
        return self.numbers


def serve_one(processor, listener, transport, protocol):
    """Answers the calls of one connection."""
    connection = transport(listener.accept())
    try:
        while True:
            processor.process(protocol(connection), protocol(connection))
    except TTransportException:
        connection.close()


class Services(unittest.TestCase):
    def test_apache_serves_bytelane(self):
        for name, protocol, framing, transport in COMBINATIONS:
            for service, module in [("extended", extended), ("second", second)]:
                with self.subTest(protocol=protocol.__name__, framing=framing, service=service):
                    listener = TServerSocket("127.0.0.1", 0)
                    listener.listen()
                    port = listener.handle.getsockname()[1]
                    arguments = (module.Processor(Handler()), listener, transport, protocol)
                    server = threading.Thread(target=serve_one, args=arguments, daemon=True)
                    server.start()
                    command = [PROGRAM, "call", name, framing, service, str(port)]
                    subprocess.run(command, check=True, timeout=60)
                    server.join(10)
                    listener.close()

    def test_bytelane_serves_apache(self):
        for name, protocol, framing, transport in COMBINATIONS:
            for service, module in [("extended", extended), ("second", second)]:
                with self.subTest(protocol=protocol.__name__, framing=framing, service=service):
                    command = [PROGRAM, "serve", name, framing, service]
                    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
                        connection = transport(TSocket("127.0.0.1", int(server.stdout.readline())))
                        connection.open()
                        client = module.Client(protocol(connection))
                        if service == "extended":
                            self.check_values(client)
                            self.check_containers(client)
                            self.check_exceptions(client)
                            client.testOneway(0)
                            client.testOneway(1)
                            self.assertEqual(client.slept(), [0, 1])
                        else:
                            self.assertEqual(client.secondtestString("second"), "second")
                        connection.close()
                        self.assertEqual(server.wait(10), 0)

    def check_values(self, client):
        self.assertIsNone(client.testVoid())
        extremes = xtruct("äöü 漢字", -128, 2**31 - 1, -(2**63))
        values = {
            client.testString: ["", "Test", 'quotes " and \\ and lines\r\n', "äöü 漢字 😀"],
            client.testBool: [True, False],
            client.testByte: [0, -1, -128, 127],
            client.testI32: [0, -1, -(2**31), 2**31 - 1],
            client.testI64: [0, -1, -(2**63), 2**63 - 1],
            client.testDouble: [0.0, -1.5, sys.float_info.max, float("inf")],
            client.testBinary: [b"", bytes(range(256))],
            client.testStruct: [xtruct(), extremes],
            client.testNest: [types.Xtruct2(byte_thing=1, struct_thing=extremes, i32_thing=5)],
            client.testEnum: [types.Numberz.ONE, types.Numberz.EIGHT],
            client.testTypedef: [309858235082523],
        }
        for method, things in values.items():
            for thing in things:
                self.assertEqual(method(thing), thing)
        found = client.testMulti(42, 4242, 424242, {1: "one"}, types.Numberz.FIVE, 7)
        self.assertEqual(found, xtruct("Hello2", 42, 4242, 424242))

    def check_containers(self, client):
        for length in [0, 1, 14, 15, 1000]:
            numbers = range(length)
            self.assertEqual(client.testList(list(numbers)), list(numbers))
            self.assertEqual(client.testSet(set(numbers)), set(numbers))
            pairs = {n: n - 10 for n in numbers}
            self.assertEqual(client.testMap(pairs), pairs)
        texts = {"a": "2", "b": "", "": "c d"}
        self.assertEqual(client.testStringMap(texts), texts)
        self.assertEqual(client.testMapMap(1), MAP_OF_MAPS)
        numbers = types.Numberz
        argument = types.Insanity({numbers.FIVE: 5, numbers.EIGHT: 8}, [xtruct("Goodbye4", 4, 4, 4)])
        self.assertEqual(client.testInsanity(argument), insanities(argument))

    def check_exceptions(self, client):
        self.assertIsNone(client.testException("success"))
        with self.assertRaises(types.Xception) as raised:
            client.testException("Xception")
        self.assertEqual((raised.exception.errorCode, raised.exception.message), (1001, "Xception"))
        with self.assertRaises(TApplicationException) as raised:
            client.testException("TException")
        self.assertEqual(raised.exception.type, TApplicationException.INTERNAL_ERROR)
        self.assertEqual(client.testMultiException("success", "text"), xtruct("text"))
        with self.assertRaises(types.Xception) as raised:
            client.testMultiException("Xception", "")
        self.assertEqual(raised.exception.message, "This is an Xception")
        with self.assertRaises(types.Xception2) as raised:
            client.testMultiException("Xception2", "")
        expected = (2002, xtruct("This is an Xception2"))
        self.assertEqual((raised.exception.errorCode, raised.exception.struct_thing), expected)


if __name__ == "__main__":
    unittest.main()
