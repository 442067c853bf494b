// Package exchange tests the exchange of messages with Apache Thrift's library for Go, in both
// directions.
//
// The types on both sides are generated from everything.thrift: there by Apache's compiler, here by
// bytelane-thrift-build. Values are random, from a fixed seed.
package exchange

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/bytelane/bytelane/interop/thrift/go/everything"
)

var ctx = context.Background()

var protocols = map[string]thrift.TProtocolFactory{
	"binary":  thrift.NewTBinaryProtocolFactoryConf(nil),
	"compact": thrift.NewTCompactProtocolFactoryConf(nil),
	"json":    thrift.NewTJSONProtocolFactory(),
}

// program starts bytelane's side of the exchange.
func program(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	directory := os.Getenv("BYTELANE_PROGRAMS")
	if directory == "" {
		t.Fatal("BYTELANE_PROGRAMS does not name the directory of bytelane-interop")
	}
	command := exec.Command(filepath.Join(directory, "bytelane-interop"), arguments...)
	command.Stderr = os.Stderr
	return command
}

func encode(t *testing.T, value thrift.TStruct, factory thrift.TProtocolFactory) []byte {
	t.Helper()
	buffer := thrift.NewTMemoryBuffer()
	protocol := factory.GetProtocol(buffer)
	if err := errors.Join(value.Write(ctx, protocol), protocol.Flush(ctx)); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func decode(t *testing.T, value thrift.TStruct, message []byte, factory thrift.TProtocolFactory) {
	t.Helper()
	buffer := thrift.NewTMemoryBuffer()
	buffer.Write(message)
	if err := value.Read(ctx, factory.GetProtocol(buffer)); err != nil {
		t.Fatalf("%v in %q", err, message)
	}
}

// convert makes bytelane read messages in one protocol and write them in another.
func convert(t *testing.T, structure string, messages [][]byte, source, target string) [][]byte {
	t.Helper()
	var frames []byte
	for _, message := range messages {
		frames = binary.BigEndian.AppendUint32(frames, uint32(len(message)))
		frames = append(frames, message...)
	}
	command := program(t, "convert", structure, source, target)
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		input.Write(frames)
		input.Close()
	}()
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var converted [][]byte
	for len(output) > 0 {
		length := binary.BigEndian.Uint32(output)
		converted = append(converted, output[4:4+length])
		output = output[4+length:]
	}
	if len(converted) != len(messages) {
		t.Fatalf("%d of %d messages came back", len(converted), len(messages))
	}
	return converted
}

func TestEveryTypeInEveryProtocol(t *testing.T) {
	values := randomValues()
	for source, writer := range protocols {
		for target, reader := range protocols {
			t.Run(source+" to "+target, func(t *testing.T) {
				var messages [][]byte
				for _, value := range values {
					messages = append(messages, encode(t, value, writer))
				}
				for i, message := range convert(t, "everything", messages, source, target) {
					found := everything.NewEverything()
					decode(t, found, message, reader)
					checkSame(t, found, values[i])
				}
			})
		}
	}
}

func TestVersions(t *testing.T) {
	for name, factory := range protocols {
		t.Run(name, func(t *testing.T) {
			tree := &everything.Tree{Value: 1, Others: []*everything.Tree{{Value: 2}}}
			newer := everything.NewRecordV2()
			newer.Before = map[string][]*everything.Tree{"a": {tree}}
			newer.Level = everything.LevelV2_HIGHEST
			newer.Mark = &everything.MarkV2{Numbers: []int64{1, -1}}
			newer.Between = tree
			newer.Levels = []everything.LevelV2{everything.LevelV2_HIGHEST, everything.LevelV2_LOW}
			messages := [][]byte{encode(t, newer, factory)}
			// The other side reads it as the older version.
			older := everything.NewRecordV1()
			decode(t, older, convert(t, "record-v2", messages, name, name)[0], factory)
			if older.Level != 9 || older.Number != 7 || !slices.Equal(older.Levels, []everything.LevelV1{9, 0}) {
				t.Errorf("found %v", older)
			}
			// This side does, too, and keeps a mark of an unknown kind.
			decoded := everything.NewRecordV2()
			decode(t, decoded, convert(t, "record-v1", messages, name, name)[0], factory)
			if decoded.Level != 9 || decoded.Number != 7 || len(decoded.Before) > 0 {
				t.Errorf("found %v", decoded)
			}
			if decoded.Mark == nil || !slices.Equal(decoded.Mark.Numbers, newer.Mark.Numbers) {
				t.Errorf("found %v", decoded)
			}
			if !slices.Equal(decoded.Levels, newer.Levels) || !decoded.Flag || decoded.Behind != 0.5 {
				t.Errorf("found %v", decoded)
			}
		})
	}
}

// handler implements the service for Apache's server.
type handler struct{ texts []string }

func (*handler) Echo(_ context.Context, value *everything.Everything) (*everything.Everything, error) {
	return value, nil
}

func (*handler) Sums(_ context.Context, points []*everything.Point) (map[string]int64, error) {
	if len(points) == 0 {
		return nil, &everything.Rejected{Reason: "no points", Code: -1}
	}
	sums := map[string]int64{"x": 0, "y": 0}
	for _, point := range points {
		sums["x"] += int64(point.X)
		sums["y"] += point.GetY()
	}
	return sums, nil
}

func (h *handler) Note(_ context.Context, text string) error {
	h.texts = append(h.texts, text)
	return nil
}

func (h *handler) Notes(context.Context) ([]string, error) { return h.texts, nil }

// start starts a program, and returns a framed transport over its standard streams, and a function
// that ends it.
func start(t *testing.T, arguments ...string) (thrift.TTransport, func()) {
	t.Helper()
	command := program(t, arguments...)
	input, errIn := command.StdinPipe()
	output, errOut := command.StdoutPipe()
	if err := errors.Join(errIn, errOut, command.Start()); err != nil {
		t.Fatal(err)
	}
	transport := thrift.NewTFramedTransportConf(thrift.NewStreamTransport(output, input), nil)
	return transport, func() {
		input.Close()
		if err := command.Wait(); err != nil {
			t.Errorf("%v: %v", arguments, err)
		}
	}
}

func TestBytelaneServesApache(t *testing.T) {
	for name, factory := range protocols {
		t.Run(name, func(t *testing.T) {
			transport, end := start(t, "serve", name)
			defer end()
			protocol := factory.GetProtocol(transport)
			standard := thrift.NewTStandardClient(protocol, protocol)
			client := everything.NewExchangeClient(standard)
			for _, value := range randomValues()[:3] {
				found, err := client.Echo(ctx, value)
				if err != nil {
					t.Fatal(err)
				}
				checkSame(t, found, value)
			}
			y := int64(-1 << 40)
			points := []*everything.Point{{X: math.MaxInt32}, {X: 1, Y: &y}}
			sums, err := client.Sums(ctx, points)
			if err != nil || sums["x"] != 1<<31 || sums["y"] != y {
				t.Errorf("found %v, %v", sums, err)
			}
			var rejected *everything.Rejected
			if _, err = client.Sums(ctx, nil); !errors.As(err, &rejected) || rejected.Code != -1 {
				t.Errorf("found %v", err)
			}
			if err := errors.Join(client.Note(ctx, "first"), client.Note(ctx, "")); err != nil {
				t.Error(err)
			}
			notes, err := client.Notes(ctx)
			if err != nil || !slices.Equal(notes, []string{"first", ""}) {
				t.Errorf("found %v, %v", notes, err)
			}
			result := everything.NewExchangeNotesResult()
			_, err = standard.Call(ctx, "missing", everything.NewExchangeNotesArgs(), result)
			var exception thrift.TApplicationException
			if !errors.As(err, &exception) || exception.TypeId() != thrift.UNKNOWN_METHOD {
				t.Errorf("found %v", err)
			}
		})
	}
}

func TestApacheServesBytelane(t *testing.T) {
	for name, factory := range protocols {
		t.Run(name, func(t *testing.T) {
			transport, end := start(t, "call", name)
			// The client reports success by its exit code.
			defer end()
			processor := everything.NewExchangeProcessor(&handler{})
			for {
				protocol := factory.GetProtocol(transport)
				_, err := processor.Process(ctx, protocol, protocol)
				var ended thrift.TTransportException
				if errors.As(err, &ended) {
					if ended.TypeId() != thrift.END_OF_FILE {
						t.Error(err)
					}
					return
				}
			}
		})
	}
}

var texts = []string{"", "a", `say "hi"`, "\\/<>&\u2028", "\x00\x01\x1f\x7f\b\f\n\r\t", "äöü 漢字 😀"}

var doubles = []float64{
	0, math.Copysign(0, -1), 1.5, -0.1, 1e300, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1),
}

func randomValues() []*everything.Everything {
	random := rand.New(rand.NewSource(7))
	var values []*everything.Everything
	for range 20 {
		value := everything.NewEverything()
		fill(random, reflect.ValueOf(value).Elem(), 5)
		// Sets are sorted, as they are when they come back, and without repetitions.
		makeSet(&value.SetOfBigs)
		makeSet(&value.SetOfTexts)
		makeSet(&value.SetOfReals)
		for color, set := range value.ByColor {
			makeSet(&set)
			value.ByColor[color] = set
		}
		value.Reals = append(value.Reals, math.NaN())
		values = append(values, value)
	}
	return values
}

func makeSet[T interface{ ~int64 | ~string | ~float64 }](values *[]T) {
	slices.Sort(*values)
	*values = slices.Compact(*values)
}

// fill sets a value of any type to random contents.
func fill(random *rand.Rand, value reflect.Value, depth int) {
	length := 0
	if depth > 0 {
		length = []int{0, 1, 2, 14, 15}[random.Intn(1+min(depth, 4))]
	}
	switch value.Kind() {
	case reflect.Bool:
		value.SetBool(random.Intn(2) == 0)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		bits := value.Type().Bits()
		if value.Type() == reflect.TypeFor[everything.Color]() {
			bits = 32
		}
		number := int64(random.Uint64()) >> (64 - bits)
		value.SetInt(number >> random.Intn(bits))
	case reflect.Float64:
		value.SetFloat(doubles[random.Intn(len(doubles))])
	case reflect.String:
		value.SetString(texts[random.Intn(len(texts))])
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fill(random, value.Elem(), depth-1)
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), length, length))
		for i := range length {
			if value.Type().Elem().Kind() == reflect.Uint8 {
				value.Index(i).SetUint(uint64(random.Intn(256)))
			} else {
				fill(random, value.Index(i), depth-1)
			}
		}
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		for range length {
			key := reflect.New(value.Type().Key()).Elem()
			content := reflect.New(value.Type().Elem()).Elem()
			fill(random, key, depth-1)
			fill(random, content, depth-1)
			value.SetMapIndex(key, content)
		}
	case reflect.Struct:
		if value.Type() == reflect.TypeFor[everything.Shape]() {
			// Set exactly one field of a union; the first two contain no other union.
			field := random.Intn(2 + min(max(depth, 0), 1))
			fill(random, value.Field(field), depth-1)
			return
		}
		for i := range value.NumField() {
			optional := value.Field(i).Kind() == reflect.Pointer && mayBeMissing[value.Type().Field(i).Name]
			if !optional || depth > 0 && random.Intn(3) > 0 {
				fill(random, value.Field(i), depth-1)
			}
		}
	default:
		panic(fmt.Sprintf("a field of the kind %v", value.Kind()))
	}
}

var mayBeMissing = map[string]bool{"Y": true, "Left": true, "Tree": true, "Far": true}

func checkSame(t *testing.T, found, expected *everything.Everything) {
	t.Helper()
	// The known colors come back before the others.
	for _, set := range found.ByColor {
		slices.Sort(set)
	}
	a, b := reflect.ValueOf(found).Elem(), reflect.ValueOf(expected).Elem()
	for i := range a.NumField() {
		if !same(a.Field(i), b.Field(i)) {
			t.Errorf("%s: found %v, not %v", a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	}
}

// same compares like reflect.DeepEqual, but NaN equals itself, the two zeros differ, and empty
// values equal nil.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Float64:
		x, y := a.Float(), b.Float()
		return math.IsNaN(x) && math.IsNaN(y) || math.Float64bits(x) == math.Float64bits(y)
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.Len() != b.Len() {
			return false
		}
		for _, key := range a.MapKeys() {
			if content := b.MapIndex(key); !content.IsValid() || !same(a.MapIndex(key), content) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	default:
		return a.Equal(b)
	}
}
