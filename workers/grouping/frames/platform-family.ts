/**
 * Platforms whose frames are named by the same rules. Part of g1: a change of any hash must
 * be meant.
 */
export type PlatformFamily =
  | 'javascript'
  | 'python'
  | 'jvm'
  | 'php'
  | 'ruby'
  | 'csharp'
  | 'native'
  | 'go'
  | 'other'

const families = new Map<string, PlatformFamily>([
  ['javascript', 'javascript'],
  ['node', 'javascript'],
  ['python', 'python'],
  ['java', 'jvm'],
  ['kotlin', 'jvm'],
  ['android', 'jvm'],
  ['scala', 'jvm'],
  ['groovy', 'jvm'],
  ['clojure', 'jvm'],
  ['php', 'php'],
  ['ruby', 'ruby'],
  ['csharp', 'csharp'],
  ['dotnet', 'csharp'],
  ['native', 'native'],
  ['cocoa', 'native'],
  ['objc', 'native'],
  ['swift', 'native'],
  ['rust', 'native'],
  ['c', 'native'],
  ['cpp', 'native'],
  ['go', 'go'],
])

export function platformFamily(platform: string): PlatformFamily {
  return families.get(platform) ?? 'other'
}
