import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.example.GroupReadSupport;

/**
 * Compares the rows of files with those of others, in their order.
 *
 * <p>Arguments: {@code ONE.. -- OTHER.. [--- ONE.. -- OTHER..]..}. Exits with 1 if rows differ.
 */
public final class Witness {
    /** Rows of files, one after the other. */
    private static final class Rows {
        private final Deque<String> files;
        private ParquetReader<Group> reader;

        Rows(List<String> files) {
            this.files = new ArrayDeque<>(files);
        }

        /** Returns the next row; null after the last one. */
        String next() throws IOException {
            while (true) {
                Group row = reader == null ? null : reader.read();
                if (row != null) {
                    return row.toString();
                }
                if (reader != null) {
                    reader.close();
                }
                if (files.isEmpty()) {
                    return null;
                }
                reader = ParquetReader.builder(new GroupReadSupport(), new Path(files.poll())).build();
            }
        }
    }

    /** Returns the number of rows of both sides. */
    private static long compare(List<String> pair) throws IOException {
        int middle = pair.indexOf("--");
        Rows ones = new Rows(pair.subList(0, middle));
        Rows others = new Rows(pair.subList(middle + 1, pair.size()));
        for (long row = 0; ; row++) {
            String one = ones.next();
            String other = others.next();
            if (one == null && other == null) {
                return row;
            }
            if (one == null || !one.equals(other)) {
                throw new IOException("row " + row + " differs in " + pair + ":\n" + one + "\n" + other);
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        List<String> all = Arrays.asList(arguments);
        long rows = 0;
        for (int start = 0; start < all.size(); ) {
            int length = all.subList(start, all.size()).indexOf("---");
            int end = length < 0 ? all.size() : start + length;
            rows += compare(all.subList(start, end));
            start = end + 1;
        }
        System.out.println(rows + " rows are the same");
    }
}
