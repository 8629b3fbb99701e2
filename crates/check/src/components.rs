//! Strongly connected components of a graph (Tarjan's algorithm, its stack in the heap).

/// The components, each after those that it leads to; members ascend.
pub fn components(count: usize, targets: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    #[derive(Clone, Copy)]
    struct State {
        index: usize,
        low: usize,
        open: bool,
    }
    let mut states: Vec<Option<State>> = vec![None; count];
    let mut stack: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    for root in 0..count {
        if states[root].is_some() {
            continue;
        }
        // A node, its targets, and how many of them were followed.
        let mut calls: Vec<(usize, Vec<usize>, usize)> = vec![(root, targets(root), 0)];
        states[root] = Some(State {
            index: next,
            low: next,
            open: true,
        });
        next += 1;
        stack.push(root);
        while let Some((node, list, at)) = calls.last_mut() {
            let node = *node;
            if let Some(&target) = list.get(*at) {
                *at += 1;
                match states[target] {
                    None => {
                        states[target] = Some(State {
                            index: next,
                            low: next,
                            open: true,
                        });
                        next += 1;
                        stack.push(target);
                        calls.push((target, targets(target), 0));
                    }
                    Some(state) if state.open => {
                        if let Some(own) = &mut states[node] {
                            own.low = own.low.min(state.index);
                        }
                    }
                    Some(_) => {}
                }
                continue;
            }
            calls.pop();
            let Some(own) = states[node] else { continue };
            if let Some((parent, _, _)) = calls.last()
                && let Some(parent) = &mut states[*parent]
            {
                parent.low = parent.low.min(own.low);
            }
            if own.low == own.index {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    if let Some(state) = &mut states[member] {
                        state.open = false;
                    }
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                component.sort_unstable();
                found.push(component);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_one_component_and_come_after_what_they_lead_to() {
        // 0 → 1 ⇄ 2 → 3, 4 → 4
        let edges = [vec![1], vec![2], vec![1, 3], vec![], vec![4]];
        let found = components(5, |node| edges[node].clone());
        assert_eq!(found, [vec![3], vec![1, 2], vec![0], vec![4]]);
    }

    #[test]
    fn long_chains_take_no_stack() {
        let count = 200_000;
        let found = components(
            count,
            |node| if node + 1 < count { vec![node + 1] } else { vec![0] },
        );
        assert_eq!(found.len(), 1);
    }
}
