/**
 * Tags that every event has without its client setting them: facts with columns of their own, shown
 * and counted as tags. A tag of the client with the same name wins. They are searched as fields.
 */
import { userIdentity } from '../issues/sums/issue-sums.ts'

/** The expression over the columns of `events` by the name of the tag; an empty text is no tag. */
const expressions: ReadonlyMap<string, string> = new Map([
  ['release', 'release'],
  ['environment', 'environment'],
  ['level', 'level'],
  ['transaction', 'transaction'],
  ['url', 'url'],
  ['user', userIdentity],
  ['browser', 'browser'],
  ['browser.name', 'browser_name'],
  ['os', 'os'],
  ['os.name', 'os_name'],
  ['device', `if(device_model != '', device_model, device_family)`],
  ['device.family', 'device_family'],
  ['runtime', 'runtime'],
  ['runtime.name', 'runtime_name'],
  ['handled', 'handled'],
  ['mechanism', 'mechanism'],
  ['server_name', 'server_name'],
  ['sdk', 'sdk'],
])

/** In the order in which they are shown. */
export const derivedTagNames: readonly string[] = [...expressions.keys()]

export const derivedTagExpressions: readonly string[] = [...expressions.values()]

export function derivedTagExpression(name: string): string | undefined {
  return expressions.get(name)
}

/** Column of a query: the values in the order of the names. */
export const derivedTagColumn = `array(${derivedTagExpressions
  .map((expression) => `toString(${expression})`)
  .join(', ')}) as derived`

export interface TaggedEvent {
  readonly tags: Readonly<Record<string, string>>
  /** The column `derivedTagColumn`. */
  readonly derived: readonly string[]
}

/** All tags of an event, its own first, and the names of those that it has not set itself. */
export function allTags({ tags, derived }: TaggedEvent): {
  tags: Record<string, string>
  derivedNames: string[]
} {
  const found = derivedTagNames.flatMap((name, index) => {
    const value = derived[index] ?? ''
    return value === '' || Object.hasOwn(tags, name) ? [] : [[name, value] as const]
  })
  return {
    tags: Object.fromEntries([...Object.entries(tags), ...found]),
    derivedNames: found.map(([name]) => name),
  }
}
