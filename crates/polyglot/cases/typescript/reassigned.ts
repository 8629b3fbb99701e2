class K {
    m() {
        return 1;
    }
}

export function once(flag: boolean) {
    let k = new K();
    k.m();
    if (flag) {
        k = {} as any;
    }
    return k.m();
}

export function annotated() {
    let k: K = new K();
    k = make();
    return k.m();
}

declare function make(): K;
