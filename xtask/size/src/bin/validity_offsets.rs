//! One call of `validity::lists::List::offsets`.

use bytelane::validity::lists::List;
use std::hint::black_box;

bytelane_size::program!(offsets = [0i32; 65]; {
    let list = List::<u16>::new(black_box(1));
    let levels = black_box([0; 64]);
    list.map(|list| list.offsets(&levels, &levels, &mut offsets))
});
