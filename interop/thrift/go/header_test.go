package exchange

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/bytelane/bytelane/interop/thrift/go/everything"
	"github.com/cloudwego/gopkg/protocol/ttheader"
)

var headerProtocols = map[string]thrift.THeaderProtocolID{
	"binary":  thrift.THeaderProtocolBinary,
	"compact": thrift.THeaderProtocolCompact,
}

// pipes starts a program, and returns its standard streams and a function that ends it.
func pipes(t *testing.T, arguments ...string) (io.ReadCloser, io.WriteCloser, func()) {
	t.Helper()
	command := program(t, arguments...)
	input, errIn := command.StdinPipe()
	output, errOut := command.StdoutPipe()
	if err := errors.Join(errIn, errOut, command.Start()); err != nil {
		t.Fatal(err)
	}
	return output, input, func() {
		input.Close()
		if err := command.Wait(); err != nil {
			t.Errorf("%v: %v", arguments, err)
		}
	}
}

func TestBytelaneServesApacheWithHeaders(t *testing.T) {
	for name, id := range headerProtocols {
		for _, transform := range []thrift.THeaderTransformID{thrift.TransformNone, thrift.TransformZlib} {
			output, input, end := pipes(t, "serve-any")
			protocol := thrift.NewTHeaderProtocolConf(thrift.NewStreamTransport(output, input), &thrift.TConfiguration{
				THeaderProtocolID: &id,
				THeaderTransforms: []thrift.THeaderTransformID{transform},
			})
			// The client takes the headers of a call from its context.
			call := thrift.SetWriteHeaderList(thrift.SetHeader(ctx, "trace", "7f3a"), []string{"trace"})
			client := everything.NewExchangeClient(thrift.NewTStandardClient(protocol, protocol))
			sums, err := client.Sums(call, []*everything.Point{{X: 2}, {X: 3}})
			if err != nil || sums["x"] != 5 {
				t.Errorf("%s: found %v, %v", name, sums, err)
			}
			if found := protocol.GetReadHeaders()["trace"]; found != "7f3a" {
				t.Errorf("%s: the reply has the string %q", name, found)
			}
			end()
		}
	}
}

func TestApacheServesBytelaneWithHeaders(t *testing.T) {
	for name := range headerProtocols {
		for _, options := range [][]string{{"--header", "theader"}, {"--header", "theader", "--zlib"}, {}} {
			// The client reports success by its exit code.
			output, input, end := pipes(t, append([]string{"call", name}, options...)...)
			protocol := thrift.NewTHeaderProtocolConf(thrift.NewStreamTransport(output, input), nil)
			processor := everything.NewExchangeProcessor(&handler{})
			for {
				_, err := processor.Process(ctx, protocol, protocol)
				var ended thrift.TTransportException
				if errors.As(err, &ended) || errors.Is(err, io.EOF) {
					break
				}
			}
			end()
		}
	}
}

// readTTHeader reads a frame of Kitex; the error is io.EOF at the end of the stream.
func readTTHeader(t *testing.T, from io.Reader) (ttheader.DecodeParam, []byte, error) {
	t.Helper()
	length := make([]byte, 4)
	if _, err := io.ReadFull(from, length); err != nil {
		return ttheader.DecodeParam{}, nil, err
	}
	frame := append(length, make([]byte, binary.BigEndian.Uint32(length))...)
	if _, err := io.ReadFull(from, frame[4:]); err != nil {
		t.Fatal(err)
	}
	header, err := ttheader.DecodeFromBytes(ctx, frame)
	if err != nil {
		t.Fatal(err)
	}
	if header.HeaderLen+header.PayloadLen != len(frame) {
		t.Errorf("the header is of %d bytes, the message of %d", header.HeaderLen, header.PayloadLen)
	}
	return header, frame[header.HeaderLen:], nil
}

func writeTTHeader(t *testing.T, to io.Writer, header ttheader.EncodeParam, message []byte) {
	t.Helper()
	frame, err := ttheader.EncodeToBytes(ctx, header)
	if err != nil {
		t.Fatal(err)
	}
	frame = append(frame, message...)
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	if _, err := to.Write(frame); err != nil {
		t.Fatal(err)
	}
}

func TestBytelaneServesKitexHeaders(t *testing.T) {
	output, input, end := pipes(t, "serve-any")
	defer end()
	buffer := thrift.NewTMemoryBuffer()
	protocol := thrift.NewTBinaryProtocolConf(buffer, nil)
	client := thrift.NewTStandardClient(protocol, protocol)
	arguments := everything.NewExchangeSumsArgs()
	arguments.Points = []*everything.Point{{X: 2}, {X: 3}}
	if err := client.Send(ctx, protocol, 77, "sums", arguments); err != nil {
		t.Fatal(err)
	}
	writeTTHeader(t, input, ttheader.EncodeParam{
		SeqID:   77,
		IntInfo: map[uint16]string{ttheader.ToService: "exchange"},
		StrInfo: map[string]string{"trace": "7f3a", ttheader.GDPRToken: "secret"},
	}, buffer.Bytes())
	header, message, err := readTTHeader(t, output)
	if err != nil || header.SeqID != 77 || header.StrInfo["trace"] != "7f3a" {
		t.Errorf("found %v, %v", header, err)
	}
	buffer.Reset()
	buffer.Write(message)
	result := everything.NewExchangeSumsResult()
	if err := client.Recv(ctx, protocol, 77, "sums", result); err != nil || result.Success["x"] != 5 {
		t.Errorf("found %v, %v", result, err)
	}
}

func TestKitexHeadersServeBytelane(t *testing.T) {
	// The client reports success by its exit code.
	output, input, end := pipes(t, "call", "binary", "--header", "ttheader")
	defer end()
	processor := everything.NewExchangeProcessor(&handler{})
	calls := int32(0)
	for {
		header, message, err := readTTHeader(t, output)
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		calls++
		if header.SeqID != calls || header.StrInfo["trace"] != "7f3a" {
			t.Errorf("call %d: found %v", calls, header)
		}
		call, reply := thrift.NewTMemoryBuffer(), thrift.NewTMemoryBuffer()
		call.Write(message)
		in, out := thrift.NewTBinaryProtocolConf(call, nil), thrift.NewTBinaryProtocolConf(reply, nil)
		processor.Process(ctx, in, out)
		if reply.Len() > 0 {
			writeTTHeader(t, input, ttheader.EncodeParam{SeqID: header.SeqID}, reply.Bytes())
		}
	}
	if calls != 7 {
		t.Errorf("found %d calls", calls)
	}
}
