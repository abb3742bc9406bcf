/** Readable JSON in which the changed values are pieces of their own. */
export interface Piece {
  readonly text: string
  /** The rules that changed the value; undefined for everything else. */
  readonly rules?: readonly string[]
}

interface Change {
  /** JSON pointer. */
  readonly path: string
  readonly rules: readonly string[]
}

export function markChanges(value: unknown, changes: readonly Change[]): readonly Piece[] {
  const rulesByPath = new Map(changes.map(({ path, rules }) => [path, rules]))
  const pieces: Piece[] = []
  let plain = ''
  const write = (inner: unknown, path: string, indent: string) => {
    const rules = rulesByPath.get(path)
    if (rules !== undefined) {
      if (plain !== '') pieces.push({ text: plain })
      plain = ''
      pieces.push({ text: JSON.stringify(inner), rules })
    } else if (typeof inner !== 'object' || inner === null) {
      plain += JSON.stringify(inner)
    } else if (Array.isArray(inner)) {
      const items = inner.map((item, index): Member => ['', item, String(index)])
      members(items, ['[', ']'], path, indent)
    } else {
      const named = Object.entries(inner).map(
        ([key, item]): Member => [`${JSON.stringify(key)}: `, item, key],
      )
      members(named, ['{', '}'], path, indent)
    }
  }
  const members = (
    items: readonly Member[],
    [open, close]: readonly [string, string],
    path: string,
    indent: string,
  ) => {
    plain += open
    const deeper = `${indent}  `
    for (const [index, [name, item, key]] of items.entries()) {
      plain += `${index === 0 ? '' : ','}\n${deeper}${name}`
      write(item, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, deeper)
    }
    plain += items.length === 0 ? close : `\n${indent}${close}`
  }
  write(value, '', '')
  if (plain !== '') pieces.push({ text: plain })
  return pieces
}

type Member = readonly [name: string, value: unknown, key: string]
