//! Checks that no files of a crate use each other in a circle.
//!
//! A file uses those from which it imports names; re-exported names are those of the file that declares them. The file of a
//! folder may export what the files in it declare. Code that only tests have may use anything.

use super::{files, read};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::{Attribute, Item, Meta, UseTree, Visibility};

/// Path of a module, or of an item, from the root of its crate.
type ItemPath = Vec<String>;

/// Files of a crate by their modules.
#[derive(Default)]
struct Crate(BTreeMap<ItemPath, File>);

/// Names of a file.
#[derive(Default)]
struct File {
    declared: BTreeSet<String>,
    imports: Vec<Import>,
}

struct Import {
    /// Module with the import, which may be one within the file.
    module: ItemPath,
    /// Path as it is written; `*` for all names of a module.
    path: ItemPath,
    /// Name that it has in the module.
    name: String,
    is_exported: bool,
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let mut crates: BTreeMap<String, Crate> = BTreeMap::new();
    for path in files("*.rs") {
        let path = path.to_str().unwrap();
        if let Some((of, inside)) = path.split_once("/src/")
            && let Some(module) = module(inside)
        {
            let file = File::parse(&module, &read(Path::new(path)));
            let of = crates.entry(of.to_owned()).or_default();
            // If a crate has a library and a program, the library is the root.
            of.0.entry(module).or_insert(file);
        }
    }
    assert!(crates.contains_key("crates/bytelane"));
    let circles = crates.iter().flat_map(|(name, it)| {
        let circles = it.circles();
        circles.map(move |(from, to)| format!("{name}: {from} uses {to}"))
    });
    let circles: Vec<_> = circles.collect();
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

/// Returns the module of a file in the folder `src`, unless it is a test or another program.
fn module(inside: &str) -> Option<ItemPath> {
    let parts = inside.strip_suffix(".rs")?.split('/');
    let mut module: ItemPath = parts.map(str::to_owned).collect();
    let is_left_out = |part: &String| part == "tests" || part == "bin";
    if module.iter().any(is_left_out) {
        return None;
    }
    module.pop_if(|last| ["mod", "lib", "main"].contains(&&**last));
    Some(module)
}

impl File {
    fn parse(module: &[String], text: &str) -> Self {
        let mut file = Self::default();
        let items = syn::parse_file(text).unwrap().items;
        file.add(module, &items, true);
        file
    }

    fn add(&mut self, module: &[String], items: &[Item], is_root: bool) {
        for item in items {
            let ident = match item {
                Item::Use(item) if !is_test(&item.attrs) => {
                    let is_exported = !matches!(item.vis, Visibility::Inherited);
                    self.import(module, is_exported, &mut Vec::new(), &item.tree);
                    continue;
                }
                Item::Mod(item) => {
                    let inner = item.content.iter().filter(|_| !is_test(&item.attrs));
                    for (_, items) in inner {
                        let mut module = module.to_vec();
                        module.push(item.ident.to_string());
                        self.add(&module, items, false);
                    }
                    &item.ident
                }
                Item::Const(item) => &item.ident,
                Item::Enum(item) => &item.ident,
                Item::Fn(item) => &item.sig.ident,
                Item::Static(item) => &item.ident,
                Item::Struct(item) => &item.ident,
                Item::Trait(item) => &item.ident,
                Item::Type(item) => &item.ident,
                Item::Union(item) => &item.ident,
                _ => continue,
            };
            if is_root {
                self.declared.insert(ident.to_string());
            }
        }
    }

    fn import(
        &mut self,
        module: &[String],
        is_exported: bool,
        before: &mut ItemPath,
        tree: &UseTree,
    ) {
        let (last, name) = match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(module, is_exported, before, &path.tree);
                before.pop();
                return;
            }
            UseTree::Group(group) => {
                let trees = group.items.iter();
                trees.for_each(|tree| self.import(module, is_exported, before, tree));
                return;
            }
            UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            UseTree::Rename(name) => (name.ident.to_string(), name.rename.to_string()),
            UseTree::Glob(_) => ("*".to_owned(), "*".to_owned()),
        };
        let mut path = before.clone();
        let name = match &*last {
            "self" => path.last().cloned().unwrap_or_default(),
            _ => name,
        };
        path.extend((last != "self").then_some(last));
        self.imports.push(Import {
            module: module.to_vec(),
            path,
            name,
            is_exported,
        });
    }
}

/// Returns whether only tests have an item.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|it| match &it.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            condition == "test" || condition.starts_with("all (test")
        }
        _ => false,
    })
}

impl Crate {
    /// Returns each file that uses another one which uses it, and the other one.
    fn circles(&self) -> impl Iterator<Item = (String, String)> {
        let mut uses: BTreeSet<(&ItemPath, &ItemPath)> = BTreeSet::new();
        for (module, file) in &self.0 {
            for import in &file.imports {
                let target = self.target(module, import);
                let used = target.and_then(|path| self.file_of(path));
                if let Some(used) = used.filter(|used| *used != module) {
                    let exports = import.is_exported && used.starts_with(module);
                    uses.extend((!exports).then_some((module, used)));
                }
            }
        }
        // Keeps uses of files that others use, by files that use others.
        loop {
            let before = uses.len();
            let (from, to): (BTreeSet<_>, BTreeSet<_>) = uses.iter().copied().unzip();
            uses.retain(|(user, used)| to.contains(user) && from.contains(used));
            if uses.len() == before {
                break;
            }
        }
        let shown = |module: &ItemPath| format!("crate::{}", module.join("::"));
        uses.into_iter()
            .map(move |(from, to)| (shown(from), shown(to)))
    }

    /// Returns the path from the root of what a file imports; `None` if another crate has it.
    fn target(&self, file: &ItemPath, import: &Import) -> Option<ItemPath> {
        let mut path = import.path.clone();
        path.pop_if(|last| last == "*");
        match &**path.first()? {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([&import.module[..], &path[1..]].concat()),
            "super" => {
                let ups = path.iter().take_while(|it| *it == "super").count();
                let kept = import.module.len().checked_sub(ups)?;
                Some([&import.module[..kept], &path[ups..]].concat())
            }
            first => {
                let child = [&file[..], &path[..1]].concat();
                if self.0.contains_key(&child) {
                    return Some([&file[..], &path[..]].concat());
                }
                let mut imports = self.0[file].imports.iter();
                let found = imports.find(|it| *it.name == *first && it.path != import.path)?;
                let before = self.target(file, found)?;
                Some([before, path[1..].to_vec()].concat())
            }
        }
    }

    /// Returns the file that declares an item; `None` if the crate has no root.
    fn file_of(&self, path: ItemPath) -> Option<&ItemPath> {
        let mut path = path;
        // Each step follows a name that a file has from another one.
        for _ in 0..10 {
            let Some((module, name)) = self.split(&path) else {
                break;
            };
            let file = &self.0[module];
            if file.declared.contains(name) {
                break;
            }
            let rest = path[module.len() + 1..].to_vec();
            let named = file.imports.iter().find(|it| it.name == *name);
            let next = match named.and_then(|it| self.target(module, it)) {
                Some(target) => Some([target, rest].concat()),
                None => {
                    let globs = file.imports.iter().filter(|it| it.name == "*");
                    let mut targets = globs.filter_map(|it| self.target(module, it));
                    let has_name = |it: &ItemPath| {
                        let glob = self.0.get(it);
                        glob.is_some_and(|file| file.declared.contains(name))
                    };
                    let glob = targets.find(has_name);
                    glob.map(|glob| [glob, vec![name.clone()], rest].concat())
                }
            };
            match next.filter(|next| *next != path) {
                Some(next) => path = next,
                None => break,
            }
        }
        let lengths = (0..=path.len()).rev();
        let mut files = lengths.filter_map(|length| self.0.get_key_value(&path[..length]));
        Some(files.next()?.0)
    }

    /// Returns the file that a path leads into, and the next name.
    fn split<'a>(&'a self, path: &'a ItemPath) -> Option<(&'a ItemPath, &'a String)> {
        let mut lengths = (0..=path.len()).rev();
        let length = lengths.find(|length| self.0.contains_key(&path[..*length]))?;
        let (module, _) = self.0.get_key_value(&path[..length])?;
        Some((module, path.get(length)?))
    }
}

#[test]
fn circles_are_found_through_names_of_other_files() {
    let parse = |files: &[(&str, &str)]| {
        let files = files.iter().map(|(path, text)| {
            let module = module(path).unwrap();
            (module.clone(), File::parse(&module, text))
        });
        let circles: Vec<_> = Crate(files.collect()).circles().collect();
        circles
    };
    let root = ("lib.rs", "mod a;\nmod b;\npub use b::B;\npub use a::A;\n");
    let a = ("a.rs", "use crate::B;\npub struct A;\n");
    let b = ("b.rs", "use super::a::A;\npub struct B;\n");
    let expected = [("crate::a", "crate::b"), ("crate::b", "crate::a")];
    let expected = expected.map(|(one, other)| (one.to_owned(), other.to_owned()));
    assert_eq!(parse(&[root, a, b]), expected);
    let tests = "pub struct B;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n";
    assert!(parse(&[root, a, ("b.rs", tests)]).is_empty());
    let names = "mod inner;\nuse inner::Inner;\npub struct A(Inner);\n";
    let inner = ("a/inner.rs", "use super::Outer;\npub struct Inner;\n");
    assert!(parse(&[root, ("a.rs", names), inner, b]).len() == 2);
}
