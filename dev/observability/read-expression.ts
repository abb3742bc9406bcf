/** Finds the metrics and labels that an expression of PromQL names. */
export interface ReadExpression {
  readonly metrics: readonly { readonly name: string; readonly labels: readonly string[] }[]
  /** Labels after `by`. */
  readonly grouped: readonly string[]
}

const words = new Set(['and', 'or', 'unless', 'by', 'without', 'offset', 'bool', 'on', 'ignoring'])

/** Understands the part of the language that our alerts and panels use. */
export function readExpression(text: string): ReadExpression {
  const grouped: string[] = []
  const withoutGroups = text.replace(/\bby \(([^)]*)\)/g, (_, list: string) => {
    grouped.push(...list.split(',').map((label) => label.trim()))
    return ''
  })
  const metrics: { name: string; labels: string[] }[] = []
  const plain = withoutGroups.replace(/\[[^\]]*\]/g, '')
  for (const match of plain.matchAll(/([a-zA-Z_:][\w:]*)\s*(\(|\{[^}]*\})?|"[^"]*"/g)) {
    const [, name, after = ''] = match
    // A name before a parenthesis is a function.
    if (name === undefined || after === '(' || words.has(name)) continue
    const labels = [...after.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label)
    metrics.push({ name, labels })
  }
  return { metrics, grouped }
}
