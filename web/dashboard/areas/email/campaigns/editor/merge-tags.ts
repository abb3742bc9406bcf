/** The placeholders that a text can use, for the completion and for the list beside the editor. */

export interface MergeTag {
  readonly tag: string
  readonly label: string
}

interface Person {
  readonly name: string | null
  readonly attribs: Readonly<Record<string, unknown>>
}

const tagsMax = 60

/** Attributes of the contacts that were read, the most frequent first. */
export function mergeTagsOf(contacts: readonly Person[]): MergeTag[] {
  const counts = new Map<string, number>()
  for (const { attribs } of contacts) {
    for (const [key, value] of Object.entries(attribs)) {
      if (value !== null && value !== '') counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const keys = [...counts].sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1))
  return [
    { tag: '{{name}}', label: 'Name of the contact' },
    { tag: '{{name | there}}', label: 'Name, or “there” without one' },
    ...keys.slice(0, tagsMax).map(([key]) => ({
      tag: `{{attr.${key}}}`,
      label: `Attribute ${key}`,
    })),
  ]
}

/** The start of a placeholder before the cursor, on its line. */
export function openTagBefore(line: string): string | undefined {
  return /\{\{[\w.| -]*$/.exec(line)?.[0]
}

/** Those that begin with what was typed, `{{ci` also with the key of an attribute. */
export function completionsOf(tags: readonly MergeTag[], open: string): MergeTag[] {
  const typed = open.slice(2).replace(/\s/g, '').toLowerCase()
  return tags.filter(({ tag }) => {
    const inner = tag.slice(2).replace(/\s/g, '').toLowerCase()
    return inner.startsWith(typed) || inner.startsWith(`attr.${typed}`)
  })
}
