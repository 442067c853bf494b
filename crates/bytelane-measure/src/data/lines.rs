//! Lines of text, which have more in common than characters drawn at random.

use super::{Sequence, below, integers};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Generates addresses of web pages, one in each line, byte by byte.
pub(super) fn urls(_: &mut Xoshiro256PlusPlus) -> Sequence {
    let (mut line, mut at) = (String::new(), 0);
    integers(move |random| {
        if at == line.len() {
            (line, at) = (url(random), 0);
        }
        at += 1;
        line.as_bytes()[at - 1].into()
    })
}

fn url(random: &mut Xoshiro256PlusPlus) -> String {
    let mut word = |words: &'static [&'static str]| {
        let number = below(random, words.len() as u32);
        words[number as usize]
    };
    let host = word(&[
        "www.example.com",
        "shop.example.org",
        "static.media-files.net",
        "docs.library.io",
        "news.daily-post.co.uk",
    ]);
    let [folder, file] = [(); 2].map(|()| {
        word(&[
            "products", "articles", "category", "images", "users", "search", "2024", "blog",
            "download",
        ])
    });
    let number = below(random, 1_000_000);
    format!("https://{host}/{folder}/{file}?id={number}\n")
}
