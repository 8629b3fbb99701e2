interface Twin { a: number }
interface Twin { b: number }
class Holder { a() {} static a() {} }
function twin() {}
function twin() { return 1; }
const Named = 1;
type Named = string;
let typed: Named, used = Named;
twin();
