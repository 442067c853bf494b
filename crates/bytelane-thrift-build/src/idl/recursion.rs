//! Finds structs that contain themselves, as strongly connected components of a graph.

/// Returns a number for each node, the same for nodes that lead to each other. `edges` has the
/// successors of each node. This is Tarjan's algorithm, without recursion.
pub(crate) fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut component = vec![None; edges.len()];
    let mut order = vec![None; edges.len()];
    // The earliest node, by its order, that each node leads to; initially the node itself.
    let mut low = vec![0; edges.len()];
    let (mut next, mut open, mut path) = (0, Vec::new(), Vec::new());
    for root in 0..edges.len() {
        if order[root].is_none() {
            path.push((root, 0));
        }
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            if order[node].is_none() {
                (order[node], low[node]) = (Some(next), next);
                next += 1;
                open.push(node);
            }
            if let Some(&target) = edges[node].get(*edge) {
                *edge += 1;
                match (order[target], component[target]) {
                    (None, _) => path.push((target, 0)),
                    (Some(place), None) => low[node] = low[node].min(place),
                    (Some(_), Some(_)) => {}
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            while order[node] == Some(low[node]) && component[node].is_none() {
                let member = open.pop().expect("the node itself is open");
                component[member] = Some(node);
            }
        }
    }
    let every = "each node has been visited";
    component.into_iter().map(|of| of.expect(every)).collect()
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn nodes_that_lead_to_each_other_are_together() {
        // 0 -> 1 <-> 2 -> 3, 4 -> 4, 5 -> 6 -> 7 -> 5
        let edges = [&[1][..], &[2], &[1, 3], &[], &[4], &[6], &[7], &[5, 3]];
        let found = components(&edges.map(<[usize]>::to_vec));
        let together = |a: usize, b: usize| found[a] == found[b];
        assert!(together(1, 2) && together(5, 6) && together(6, 7));
        for (a, b) in [(0, 1), (2, 3), (3, 4), (4, 5), (3, 7)] {
            assert!(!together(a, b), "{a} and {b}");
        }
    }

    #[test]
    fn long_chains_need_no_stack() {
        let mut edges: Vec<Vec<usize>> = (0..1_000_000).map(|i| vec![i + 1]).collect();
        edges.push(vec![0]);
        let found = components(&edges);
        assert!(found.iter().all(|component| *component == found[0]));
    }
}
