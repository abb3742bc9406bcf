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
  const name = open === -1 ? raw : cutGeneratedClasses(raw)
  const generated = name.includes('<') ? readGenerated(name) : ''
  if (generated !== '') return generated
  return bracket === -1 ? name : cleanReadable(name)
}

function cutGeneratedClasses(raw: string): string {
  // The class of the lambdas carries no name.
  const named = raw.replace(/<>c(?:__DisplayClass[\d_]{1,32})?[.+:]?/g, '')
  // Statements outside of any method are in `<Main>$`.
  return named.replaceAll('<Main>$', 'Main')
}

/** `<AddItem>d__12.MoveNext`, `<>c.<Run>b__0_1`, `<<Run>b__0_1>d`, `<Run>g__Inner|1_0`. */
function readGenerated(name: string): string {
  const inner = /^([^<]{0,512})<<([^<>]{1,512})>([bg])__(?:([A-Za-z_]\w{0,255})\|)?/.exec(name)
  const generated =
    inner ?? /^([^<]{0,512})<([^<>]{1,512})>(d|b|g)__(?:([A-Za-z_]\w{0,255})\|)?/.exec(name)
  if (generated === null) return ''
  const [, before = '', method = '', kind, local] = generated
  // An async state machine has the name of its method, a lambda that of its enclosing method, and a
  // local function its own.
  if (kind === 'd') return before + method
  return kind === 'g' && local !== undefined ? before + local : `${before}${method}.lambda`
}

/**
 * `async Task<int> Cart.Pay(int id)+(string x) => { }` is `Cart.Pay.lambda`. The method stands
 * before its arguments; a tuple that it returns has parentheses, too.
 */
function cleanReadable(raw: string): string {
  const start = raw.startsWith('(') ? raw.indexOf(')') + 1 : 0
  const text = cutTypeArguments(start === 0 ? raw : raw.slice(start))
  const open = text.indexOf('(')
  const head = (open === -1 ? text : text.slice(0, open)).trim()
  const tail = open === -1 ? '' : text.slice(open)
  const plain = head.slice(head.lastIndexOf(' ') + 1)
  const local = /\)\+([A-Za-z_]\w{0,255})\(/.exec(tail)
  if (local !== null) {
    const dot = plain.lastIndexOf('.')
    return plain.slice(0, dot + 1) + local[1]!
  }
  return tail.includes('=>') ? `${plain}.lambda` : plain
}

/** `Task<(int, int)> Store<T>.Load<T>(…)` is `Task Store.Load(…)`; the arguments stay. */
function cutTypeArguments(text: string): string {
  if (!text.includes('<')) return text
  let out = ''
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text[index]!
    if (unit === '(' && depth === 0) return out + text.slice(index)
    if (unit === '<') depth++
    else if (unit === '>' && depth > 0) depth--
    else if (depth === 0) out += unit
  }
  // Without the closing bracket it is an operator.
  return depth === 0 ? out : text
}

/**
 * Where a method is, when the client sends no class beside it: `Cart.Pay` in the readable form, and
 * `Cart:Pay`, `Cart/Load` in the texts that Unity logs.
 */
export function classOfMethod(
  action: string,
): { readonly owner: string; readonly method: string } | undefined {
  const [, owner, method] = qualifiedMethod.exec(action) ?? []
  return owner === undefined || method === undefined ? undefined : { owner, method }
}

const qualifiedMethod = /^(.{1,512}?)[.:/+]((?:\.c?ctor|[^.:/+]{1,512})(?:\.lambda)?)$/
