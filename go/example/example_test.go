package example

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/cloudwego/gopkg/protocol/thrift"
	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/server"

	bulk "github.com/bytelane/bytelane/go/example/kitex_gen/telemetry"
	bulkstore "github.com/bytelane/bytelane/go/example/kitex_gen/telemetry/store"
	plain "github.com/bytelane/bytelane/go/example/plain_gen/telemetry"
	plainstore "github.com/bytelane/bytelane/go/example/plain_gen/telemetry/store"
)

// batch returns a message with n elements in each list of numbers. Maps have
// one entry, because Go writes map entries in random order.
func batch(n int) *plain.Batch {
	b := plain.NewBatch()
	b.Title = "measured"
	for i := range n {
		bits := 0x9e3779b97f4a7c15 * uint64(i+1)
		b.Times = append(b.Times, int64(bits))
		b.Values = append(b.Values, float64(bits)/3)
		b.Buckets = append(b.Buckets, int32(bits))
		b.Deltas = append(b.Deltas, int16(bits))
		b.Hosts = append(b.Hosts, int64(i))
		b.Flags = append(b.Flags, bits&4 != 0)
		b.Levels = append(b.Levels, int8(bits))
		b.Names = append(b.Names, fmt.Sprint(bits))
		b.Blobs = append(b.Blobs, []byte(fmt.Sprint(i)))
		b.Kinds = append(b.Kinds, plain.Kind_COUNTER)
		b.Labels = append(b.Labels, &plain.Label{Name: "host", Value: fmt.Sprint(i)})
		b.Nested = append(b.Nested, slices.Clone(b.Times[:i%7]))
		b.Aliased = append(b.Aliased, int64(i))
		b.Stamps = append(b.Stamps, int64(-i))
		b.Codes = append(b.Codes, int32(i))
		b.Tags = append(b.Tags, fmt.Sprint("tag", i))
	}
	b.Series = map[string][]float64{"load": slices.Clone(b.Values)}
	b.Groups = map[int32][]int16{7: slices.Clone(b.Deltas)}
	return b
}

// inBulk converts a plain batch to the rewritten package, through its bytes.
func inBulk(t *testing.T, b *plain.Batch) *bulk.Batch {
	t.Helper()
	read := bulk.NewBatch()
	if err := thrift.FastUnmarshal(thrift.FastMarshal(b), read); err != nil {
		t.Fatal(err)
	}
	return read
}

func TestBothPackagesWriteTheSameBytes(t *testing.T) {
	for _, n := range []int{0, 1, 2, 15, 16, 33, 1000} {
		b := batch(n)
		want := thrift.FastMarshal(b)
		read := inBulk(t, b)
		if got := thrift.FastMarshal(read); !slices.Equal(got, want) {
			t.Fatalf("%d elements: the bytes differ", n)
		}
		back := plain.NewBatch()
		if err := thrift.FastUnmarshal(thrift.FastMarshal(read), back); err != nil {
			t.Fatal(err)
		}
		again := plain.NewBatch()
		if err := thrift.FastUnmarshal(want, again); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, again) {
			t.Fatalf("%d elements: the values differ", n)
		}
		for cut := range min(len(want), 2000) {
			if err := thrift.FastUnmarshal(want[:cut], bulk.NewBatch()); err == nil {
				t.Fatalf("%d elements: no error for %d of %d bytes", n, cut, len(want))
			}
		}
	}
}

func TestErrorsAreKitexProtocolExceptions(t *testing.T) {
	for name, message := range map[string][]byte{
		"huge list":          {15, 0, 1, 10, 0x7f, 0xff, 0xff, 0xff, 0},
		"negative size":      {15, 0, 1, 10, 0xff, 0xff, 0xff, 0xff, 0},
		"other element type": {15, 0, 1, 8, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 0},
	} {
		err := thrift.FastUnmarshal(message, bulk.NewBatch())
		var exception *thrift.ProtocolException
		if !errors.As(err, &exception) || exception.TypeId() != thrift.INVALID_DATA {
			t.Errorf("%s: %T %v", name, err, err)
		}
	}
}

// store answers with the times it was given, then the extra ones.
type store struct{}

func (*store) Put(_ context.Context, batch *bulk.Batch, extra []int64) ([]int64, error) {
	if len(batch.Times) != len(batch.Values) {
		return nil, &bulk.Rejected{Rows: []int32{int32(len(batch.Times)), int32(len(batch.Values))}}
	}
	return slices.Concat(batch.Times, extra), nil
}

type plainStore struct{}

func (*plainStore) Put(_ context.Context, batch *plain.Batch, extra []int64) ([]int64, error) {
	return slices.Concat(batch.Times, extra), nil
}

// serve starts a Kitex server made by newServer and returns its address.
func serve(t *testing.T, newServer func(server.Option) server.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	running := newServer(server.WithListener(listener))
	done := make(chan error, 1)
	go func() { done <- running.Run() }()
	t.Cleanup(func() {
		running.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

func TestServiceWithListsInBulkAndPlainClient(t *testing.T) {
	address := serve(t, func(option server.Option) server.Server { return bulkstore.NewServer(&store{}, option) })
	peer, err := plainstore.NewClient("store", client.WithHostPorts(address), client.WithRPCTimeout(10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	b := batch(5000)
	got, err := peer.Put(context.Background(), b, []int64{1, math.MinInt64})
	if err != nil || !slices.Equal(got, slices.Concat(b.Times, []int64{1, math.MinInt64})) {
		t.Fatalf("%d values, %v", len(got), err)
	}
	b.Values = b.Values[:3]
	_, err = peer.Put(context.Background(), b, nil)
	var rejected *plain.Rejected
	if !errors.As(err, &rejected) || !slices.Equal(rejected.Rows, []int32{5000, 3}) {
		t.Fatalf("the exception became %v", err)
	}
}

func TestPlainServiceAndClientWithListsInBulk(t *testing.T) {
	address := serve(t, func(option server.Option) server.Server { return plainstore.NewServer(&plainStore{}, option) })
	own, err := bulkstore.NewClient("store", client.WithHostPorts(address), client.WithRPCTimeout(10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	b := inBulk(t, batch(5000))
	got, err := own.Put(context.Background(), b, []int64{1, math.MinInt64})
	if err != nil || !slices.Equal(got, slices.Concat(b.Times, []int64{1, math.MinInt64})) {
		t.Fatalf("%d values, %v", len(got), err)
	}
}

func TestHandwrittenCodecAndGeneratedStruct(t *testing.T) {
	written := &Series{Times: []int64{1, 2, 3}, Values: []float64{1.5, math.Inf(1), -0.25}}
	bytes := thrift.FastMarshal(written)
	if len(bytes) != written.BLength() {
		t.Fatalf("%d bytes, BLength says %d", len(bytes), written.BLength())
	}
	read := &Series{Times: make([]int64, 0, 8)}
	kept := read.Times[:1]
	if err := thrift.FastUnmarshal(bytes, read); err != nil || !reflect.DeepEqual(read, written) {
		t.Fatalf("%+v, %v", read, err)
	}
	if &kept[0] != &read.Times[0] {
		t.Error("the slice was not reused")
	}
	for cut := range bytes {
		if err := thrift.FastUnmarshal(bytes[:cut], &Series{}); err == nil {
			t.Errorf("no error for %d of %d bytes", cut, len(bytes))
		}
	}
	// Generated code reads the list, which follows a field header, an empty name
	// and another field header.
	message := thrift.Binary.AppendFieldBegin(nil, thrift.LIST, 1)
	message = append(message, bytes[3+4+3:][:5+3*8]...)
	message = append(thrift.Binary.AppendFieldBegin(message, thrift.LIST, 2), 4, 0, 0, 0, 0, 0)
	b := plain.NewBatch()
	if err := thrift.FastUnmarshal(message, b); err != nil || !slices.Equal(b.Times, written.Times) {
		t.Fatalf("%v, %v", b.Times, err)
	}
}

// reused is set when these tests run with files that kitexlists -reuse
// generated.
var reused = flag.Bool("reused", false, "expect lists in the memory of the struct's slices")

func TestReusedMemory(t *testing.T) {
	b := inBulk(t, batch(100))
	times, limits := b.Times, b.Limits
	message := batch(50)
	if err := thrift.FastUnmarshal(thrift.FastMarshal(message), b); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b.Times, message.Times) {
		t.Error("the second message has other times")
	}
	if inPlace := &b.Times[0] == &times[0]; inPlace != *reused {
		t.Errorf("read into the same memory: %v", inPlace)
	}
	if &b.Limits[0] == &limits[0] {
		t.Error("a field with a default was read into the same memory")
	}
}

// goTool runs the go command in this directory.
func goTool(t *testing.T, arguments ...string) {
	t.Helper()
	if output, err := exec.Command("go", arguments...).CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v\n%s", arguments, err, output)
	}
}

// The rewriter generates kitex_gen from plain_gen. The output of -reuse
// compiles as well, and reads a message twice into the same memory.
func TestKitexlistsMakesTheseFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short, and this builds a command")
	}
	directory := t.TempDir()
	files, err := filepath.Glob("plain_gen/telemetry/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(directory, filepath.Base(file)), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(directory, "k-telemetry.go")
	plainSource, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	goTool(t, "run", "github.com/bytelane/bytelane/go/cmd/kitexlists", path)
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("kitex_gen/telemetry/k-telemetry.go")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Error("kitex_gen is not what kitexlists makes of plain_gen")
	}

	if err := os.WriteFile(path, plainSource, 0o644); err != nil {
		t.Fatal(err)
	}
	goTool(t, "run", "github.com/bytelane/bytelane/go/cmd/kitexlists", "-reuse", path)
	original, err := filepath.Abs("kitex_gen/telemetry/k-telemetry.go")
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(directory, "overlay.json")
	if err := os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace": {%q: %q}}`, original, path), 0o644); err != nil {
		t.Fatal(err)
	}
	goTool(t, "test", "-overlay", overlay, "-run", "TestBothPackages|TestReusedMemory", ".", "-reused")
}
