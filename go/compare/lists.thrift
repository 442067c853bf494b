namespace go lists

struct Shorts { 1: list<i16> values }
struct Words { 1: list<i32> values }
struct Longs { 1: list<i64> values }
struct Doubles { 1: list<double> values }
