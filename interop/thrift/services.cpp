// Calls and serves ThriftTest's methods over TCP, with Apache Thrift's C++ library.
//
//     services serve PROTOCOL FRAMING SERVICE         prints a port, answers one connection
//     services call PROTOCOL FRAMING SERVICE PORT     calls all methods, checks what they return

#include "ExtendedTest.h"
#include "SecondService.h"

#include <thrift/TApplicationException.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TServerSocket.h>
#include <thrift/transport/TSocket.h>

#include <iostream>
#include <limits>

using namespace apache::thrift;
using namespace apache::thrift::protocol;
using namespace apache::thrift::transport;
using namespace thrift_test;

using Insanities = std::map<UserId, std::map<Numberz::type, Insanity>>;

static void check(bool holds, const char* what) {
    if (!holds) {
        throw std::runtime_error(std::string("failed: ") + what);
    }
}
#define CHECK(condition) check(condition, #condition)

static Xtruct xtruct(const std::string& text, int8_t byte = 0, int32_t i32 = 0, int64_t i64 = 0) {
    Xtruct value;
    value.__set_string_thing(text);
    value.__set_byte_thing(byte);
    value.__set_i32_thing(i32);
    value.__set_i64_thing(i64);
    return value;
}

static std::map<int32_t, std::map<int32_t, int32_t>> map_of_maps() {
    return {{-4, {{-4, -4}, {-3, -3}, {-2, -2}, {-1, -1}}}, {4, {{1, 1}, {2, 2}, {3, 3}, {4, 4}}}};
}

static Insanities insanities(const Insanity& argument) {
    return {{1, {{Numberz::TWO, argument}, {Numberz::THREE, argument}}},
            {2, {{Numberz::SIX, Insanity()}}}};
}

static Xception xception(const std::string& message) {
    Xception exception;
    exception.__set_errorCode(1001);
    exception.__set_message(message);
    return exception;
}

class Handler : public ExtendedTestIf, public SecondServiceIf {
public:
    void testVoid() override {}
    void testString(std::string& to, const std::string& thing) override { to = thing; }
    bool testBool(const bool thing) override { return thing; }
    int8_t testByte(const int8_t thing) override { return thing; }
    int32_t testI32(const int32_t thing) override { return thing; }
    int64_t testI64(const int64_t thing) override { return thing; }
    double testDouble(const double thing) override { return thing; }
    void testBinary(std::string& to, const std::string& thing) override { to = thing; }
    void testStruct(Xtruct& to, const Xtruct& thing) override { to = thing; }
    void testNest(Xtruct2& to, const Xtruct2& thing) override { to = thing; }
    void testMap(std::map<int32_t, int32_t>& to, const std::map<int32_t, int32_t>& thing) override {
        to = thing;
    }
    void testStringMap(std::map<std::string, std::string>& to,
                       const std::map<std::string, std::string>& thing) override {
        to = thing;
    }
    void testSet(std::set<int32_t>& to, const std::set<int32_t>& thing) override { to = thing; }
    void testList(std::vector<int32_t>& to, const std::vector<int32_t>& thing) override { to = thing; }
    Numberz::type testEnum(const Numberz::type thing) override { return thing; }
    UserId testTypedef(const UserId thing) override { return thing; }
    void testMapMap(std::map<int32_t, std::map<int32_t, int32_t>>& to, const int32_t) override {
        to = map_of_maps();
    }
    void testInsanity(Insanities& to, const Insanity& argument) override { to = insanities(argument); }
    void testMulti(Xtruct& to, const int8_t arg0, const int32_t arg1, const int64_t arg2,
                   const std::map<int16_t, std::string>&, const Numberz::type,
                   const UserId) override {
        to = xtruct("Hello2", arg0, arg1, arg2);
    }
    void testException(const std::string& arg) override {
        if (arg == "Xception") {
            throw xception(arg);
        }
        if (arg == "TException") {
            throw TException(arg);
        }
    }
    void testMultiException(Xtruct& to, const std::string& arg0, const std::string& arg1) override {
        const std::string message = "This is an " + arg0;
        if (arg0 == "Xception") {
            throw xception(message);
        }
        if (arg0 == "Xception2") {
            Xception2 exception;
            exception.__set_errorCode(2002);
            exception.__set_struct_thing(xtruct(message));
            throw exception;
        }
        to = xtruct(arg1);
    }
    void testOneway(const int32_t seconds) override { numbers.push_back(seconds); }
    void slept(std::vector<int32_t>& to) override { to = numbers; }
    void secondtestString(std::string& to, const std::string& thing) override { to = thing; }

private:
    std::vector<int32_t> numbers;
};

static void check_extended(ExtendedTestClient& client) {
    client.testVoid();
    for (const std::string text : {"", "Test", "quotes \" and \\ and lines\r\n", "äöü 漢字 😀"}) {
        std::string found;
        client.testString(found, text);
        CHECK(found == text);
        client.testBinary(found, text + std::string(1, '\0'));
        CHECK(found == text + std::string(1, '\0'));
    }
    CHECK(client.testBool(true) && !client.testBool(false));
    for (const int8_t number : {0, -1, -128, 127}) {
        CHECK(client.testByte(number) == number);
    }
    for (const int32_t number : {0, -1, std::numeric_limits<int32_t>::min(),
                                 std::numeric_limits<int32_t>::max()}) {
        CHECK(client.testI32(number) == number);
        CHECK(client.testI64(number * (int64_t(1) << 32)) == number * (int64_t(1) << 32));
        CHECK(client.testDouble(number * 0.1) == number * 0.1);
    }
    const Xtruct extremes = xtruct("äöü", -128, std::numeric_limits<int32_t>::max(),
                                   std::numeric_limits<int64_t>::min());
    Xtruct found;
    client.testStruct(found, extremes);
    CHECK(found == extremes);
    Xtruct2 nest, found_nest;
    nest.__set_byte_thing(1);
    nest.__set_struct_thing(extremes);
    nest.__set_i32_thing(5);
    client.testNest(found_nest, nest);
    CHECK(found_nest == nest);
    for (const int length : {0, 1, 14, 15, 1000}) {
        std::vector<int32_t> list, found_list;
        std::set<int32_t> set, found_set;
        std::map<int32_t, int32_t> map, found_map;
        for (int i = 0; i < length; ++i) {
            list.push_back(i);
            set.insert(i);
            map[i] = i - 10;
        }
        client.testList(found_list, list);
        client.testSet(found_set, set);
        client.testMap(found_map, map);
        CHECK(found_list == list && found_set == set && found_map == map);
    }
    const std::map<std::string, std::string> texts = {{"a", "2"}, {"b", ""}, {"", "c d"}};
    std::map<std::string, std::string> found_texts;
    client.testStringMap(found_texts, texts);
    CHECK(found_texts == texts);
    CHECK(client.testEnum(Numberz::EIGHT) == Numberz::EIGHT);
    CHECK(client.testTypedef(309858235082523) == 309858235082523);
    std::map<int32_t, std::map<int32_t, int32_t>> found_maps;
    client.testMapMap(found_maps, 1);
    CHECK(found_maps == map_of_maps());
    Insanity argument;
    argument.__set_userMap({{Numberz::FIVE, 5}, {Numberz::EIGHT, 8}});
    argument.__set_xtructs({extremes, xtruct("Goodbye4")});
    Insanities found_insanities;
    client.testInsanity(found_insanities, argument);
    CHECK(found_insanities == insanities(argument));
    client.testMulti(found, 42, 4242, 424242, {{1, "one"}}, Numberz::FIVE, 7);
    CHECK(found == xtruct("Hello2", 42, 4242, 424242));

    client.testException("success");
    try {
        client.testException("Xception");
        CHECK(false);
    } catch (const Xception& exception) {
        CHECK(exception == xception("Xception"));
    }
    try {
        client.testException("TException");
        CHECK(false);
    } catch (const TApplicationException&) {
    }
    client.testMultiException(found, "success", "text");
    CHECK(found == xtruct("text"));
    try {
        client.testMultiException(found, "Xception", "");
        CHECK(false);
    } catch (const Xception& exception) {
        CHECK(exception == xception("This is an Xception"));
    }
    try {
        client.testMultiException(found, "Xception2", "");
        CHECK(false);
    } catch (const Xception2& exception) {
        CHECK(exception.errorCode == 2002);
        CHECK(exception.struct_thing == xtruct("This is an Xception2"));
    }
    client.testOneway(0);
    client.testOneway(1);
    std::vector<int32_t> slept;
    client.slept(slept);
    CHECK((slept == std::vector<int32_t>{0, 1}));
}

static void run(const std::vector<std::string>& arguments) {
    CHECK(arguments.size() >= 4);
    const bool serves = arguments[0] == "serve";
    const bool extended = arguments[3] == "extended";
    std::shared_ptr<TServerSocket> listener;
    std::shared_ptr<TTransport> socket;
    if (serves) {
        listener = std::make_shared<TServerSocket>("127.0.0.1", 0);
        listener->listen();
        std::cout << listener->getPort() << std::endl;
        socket = listener->accept();
    } else {
        socket = std::make_shared<TSocket>("127.0.0.1", std::stoi(arguments.at(4)));
        socket->open();
    }
    std::shared_ptr<TTransport> transport;
    if (arguments[2] == "framed") {
        transport = std::make_shared<TFramedTransport>(socket);
    } else {
        transport = std::make_shared<TBufferedTransport>(socket);
    }
    std::shared_ptr<TProtocol> protocol;
    if (arguments[1] == "compact") {
        protocol = std::make_shared<TCompactProtocol>(transport);
    } else {
        protocol = std::make_shared<TBinaryProtocol>(transport);
    }
    if (serves) {
        const auto handler = std::make_shared<Handler>();
        std::shared_ptr<TProcessor> processor;
        if (extended) {
            processor = std::make_shared<ExtendedTestProcessor>(handler);
        } else {
            processor = std::make_shared<SecondServiceProcessor>(handler);
        }
        try {
            while (processor->process(protocol, protocol, nullptr)) {
            }
        } catch (const TTransportException& exception) {
            CHECK(exception.getType() == TTransportException::END_OF_FILE);
        }
    } else if (extended) {
        ExtendedTestClient client(protocol);
        check_extended(client);
    } else {
        SecondServiceClient client(protocol);
        std::string found;
        client.secondtestString(found, "second");
        CHECK(found == "second");
    }
}

int main(int argc, char** argv) {
    try {
        run(std::vector<std::string>(argv + 1, argv + argc));
        return 0;
    } catch (const std::exception& exception) {
        std::cerr << exception.what() << std::endl;
        return 1;
    }
}
