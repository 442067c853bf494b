namespace rs keeping

struct Kept { 1: i32 number, 2: string unknown_fields }

union Either { 1: i32 number, 2: string unknown }

enum Number { ONE = 1 }

struct Empty {}

const Kept EXAMPLE = {"number": 7}
const uuid ID = "00112233-4455-6677-8899-aabbccddeeff"
