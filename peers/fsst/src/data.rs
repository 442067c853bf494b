//! Generated strings of the kinds that FSST is used for.

/// Generator of numbers that are the same in each run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * end as u128) >> 64) as usize
    }

    /// Returns one of the words of a text.
    fn word<'a>(&mut self, text: &'a str) -> &'a str {
        let words: Vec<_> = text.split(' ').collect();
        words[self.below(words.len())]
    }

    /// Returns words, the first ones of the list most often.
    fn words(&mut self, count: usize) -> String {
        let all: Vec<_> = WORDS.split(' ').collect();
        let words: Vec<_> = (0..count)
            .map(|_| {
                let most = 1 + self.below(all.len());
                all[self.below(most)]
            })
            .collect();
        words.join(" ")
    }
}

const HOSTS: &str =
    "www.example.com shop.example.org static.media-files.net docs.library.io news.daily-post.co.uk";
const PATHS: &str = "products articles category images users search 2024 blog assets/js download";
const AGENTS: &[&str] = &[
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)",
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "curl/8.5.0",
];
/// Words of the comments of TPC-H's tables.
const WORDS: &str = "\
    furiously carefully slyly deposits requests accounts packages quickly blithely instructions foxes \
    ideas theodolites pinto beans dependencies platelets excuses sleep haggle nag wake cajole detect \
    integrate special pending unusual express regular final ironic even bold silent about above \
    according to across after against along the among around";

/// Kinds of strings.
pub const KINDS: &[&str] = &[
    "urls", "logs", "comments", "uuids", "json", "cjk", "random", "short", "long",
];

/// Returns strings of a kind with about so many bytes together.
pub fn strings(kind: &str, bytes: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(kind.len() as u64);
    let mut strings = Vec::new();
    let mut total = 0;
    while total < bytes {
        let string = string(kind, &mut random);
        total += string.len();
        strings.push(string);
    }
    strings
}

fn string(kind: &str, random: &mut Random) -> Vec<u8> {
    let text = match kind {
        "urls" => {
            let (host, path) = (random.word(HOSTS), random.word(PATHS));
            let (item, page) = (random.below(1_000_000), random.below(50));
            match random.below(3) {
                0 => format!("https://{host}/{path}/{item}"),
                1 => format!("https://{host}/{path}/{item}/index.html?page={page}&ref=home"),
                _ => format!(
                    "http://{host}/{path}?id={item}&session={:08x}",
                    random.below(1 << 32)
                ),
            }
        }
        "logs" => {
            let [a, b, c, d] = [(); 4].map(|()| random.below(256));
            let (path, agent) = (random.word(PATHS), AGENTS[random.below(AGENTS.len())]);
            let (second, size) = (random.below(86_400), random.below(100_000));
            let status = random.word("200 200 200 304 404 500");
            let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
            format!(
                "{a}.{b}.{c}.{d} - - [12/Mar/2025:{hour:02}:{minute:02}:{second:02} +0000] \"GET /{path}/{size} HTTP/1.1\" {status} {size} \"-\" \"{agent}\""
            )
        }
        "comments" => {
            let count = 3 + random.below(6);
            random.words(count)
        }
        "uuids" => {
            let [a, b] = [(); 2].map(|()| random.below(1 << 48));
            format!(
                "{:08x}-{:04x}-4{:03x}-{:04x}-{b:012x}",
                a >> 16,
                a & 0xffff,
                b >> 36,
                0x8000 | a & 0x3fff
            )
        }
        "json" => {
            let (id, price) = (random.below(100_000), random.below(10_000));
            let (name, tag) = (random.words(2), random.word(PATHS));
            format!(
                "{{\"id\":{id},\"name\":\"{name}\",\"price\":{}.{:02},\"tags\":[\"{tag}\",\"{}\"],\"active\":{}}}",
                price / 100,
                price % 100,
                random.word(HOSTS),
                random.below(2) == 0
            )
        }
        "cjk" => {
            let count = 5 + random.below(40);
            (0..count)
                .map(|_| {
                    let most = 1 + random.below(800);
                    char::from_u32(0x4e00 + (random.below(most) * 7) as u32).unwrap_or('一')
                })
                .collect()
        }
        "random" => {
            let count = 1 + random.below(60);
            return (0..count).map(|_| random.below(256) as u8).collect();
        }
        "short" => {
            let length = 4 + random.below(5);
            let mut text = random.words(2);
            text.truncate(length);
            text
        }
        _ => {
            let mut text = random.words(700);
            text.truncate(4096);
            text
        }
    };
    text.into_bytes()
}
