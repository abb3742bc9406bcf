/**
 * The name of a C# method without what the compiler adds: state machines, classes and ordinals of
 * lambdas and local functions, in the form of the runtime and in the readable form that the client
 * library makes of it. Part of g1: a change of any hash must be meant.
 */

export function cleanCsharp(sent: string): string {
  // Stack traces as texts have the parameters of a generic method: `Load[T]`.
  const raw = sent.endsWith(']') ? sent.replace(/(?<=\w)\[[^[\]]{0,256}\]$/, '') : sent
  const open = raw.indexOf('<')
  const bracket = raw.indexOf('(')
  if (open === -1 && bracket === -1) return raw
  // The client library itself makes this of a lambda.
  if (raw.endsWith(' { <lambda> }')) return `${raw.slice(0, -13)}.lambda`
  if (open !== -1) {
    const generated = readGenerated(raw)
    if (generated !== '') return generated
  }
  return bracket === -1 ? raw : cleanReadable(raw)
}

/** `<AddItem>d__12.MoveNext`, `<>c.<Run>b__0_1`, `<<Run>b__0_1>d`, `<Run>g__Inner|1_0`. */
function readGenerated(raw: string): string {
  // The class of the lambdas carries no name.
  const named = raw.replace(/<>c(?:__DisplayClass[\d_]{1,32})?[.+]?/g, '')
  // Statements outside of any method are in `<Main>$`.
  const name = named.replaceAll('<Main>$', 'Main')
  const inner = /^([^<]{0,512})<<([^<>]{1,512})>([bg])__(?:([A-Za-z_]\w{0,255})\|)?/.exec(name)
  const generated =
    inner ?? /^([^<]{0,512})<([^<>]{1,512})>(d|b|g)__(?:([A-Za-z_]\w{0,255})\|)?/.exec(name)
  if (generated === null) return name !== named && !name.includes('<') ? name : ''
  const [, before = '', method = '', kind, local] = generated
  // An async state machine has the name of its method, a lambda that of its enclosing method, and a
  // local function its own.
  if (kind === 'd') return before + method
  return kind === 'g' && local !== undefined ? before + local : `${before}${method}.lambda`
}

/** `async Task<int> Cart.Pay(int id)+(string x) => { }` is `Cart.Pay.lambda`. */
function cleanReadable(raw: string): string {
  const open = raw.indexOf('(')
  const head = raw.slice(0, open)
  const tail = raw.slice(open)
  const name = head.replace(/<[^<>]{0,256}>$/, '')
  const plain = name.slice(name.lastIndexOf(' ') + 1)
  const local = /\)\+([A-Za-z_]\w{0,255})\(/.exec(tail)
  if (local !== null) {
    const dot = plain.lastIndexOf('.')
    return plain.slice(0, dot + 1) + local[1]!
  }
  return tail.includes('=>') ? `${plain}.lambda` : plain
}
