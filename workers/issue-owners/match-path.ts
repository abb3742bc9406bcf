/**
 * Patterns of CODEOWNERS for the paths of stack frames. Frames seldom say where the repository
 * begins, so a pattern matches at any folder of a path, unless it begins with a slash. Case does
 * not matter.
 *
 *   *      any characters within a name        src/*.ts
 *   ?      one character within a name
 *   **     any folders                         src/**\/test.ts
 *   dir/   all below a folder, as `dir` does   vendor/
 *   dir/*  what is directly in it              docs/*
 *
 * A match takes at most names × folders of the pattern, each in the square of their lengths, and
 * ends when the work of its range is used up.
 */
import type { MatchBudget } from './match-budget.ts'

const folders = '**'
const foldersMax = 40
const nameCharactersMax = 200
const schemePattern = /^[a-z][a-z0-9+.-]*:\/\//i
const hostPattern = /^https?:\/\/[^/]*\//i

export type PathPattern = readonly string[]

/** Names of the folders and of the file, the last ones if there are too many. */
export function namesOfPath(path: string): readonly string[] {
  return path
    .replace(hostPattern, '')
    .replace(schemePattern, '')
    .toLowerCase()
    .split(/[/\\]/)
    .filter((name) => name !== '' && name !== '.' && name !== '~')
    .slice(-foldersMax)
    .map((name) => name.slice(0, nameCharactersMax))
}

export function compilePath(pattern: string): PathPattern {
  const text = pattern.toLowerCase()
  const names = text.split(/[/\\]/).filter((name) => name !== '')
  const last = names.at(-1)
  if (last === undefined) return []
  const isExact = last === '*' && !text.endsWith('/')
  const below = isExact || last === folders ? [] : [folders]
  return [...(/^[/\\]/.test(text) ? [] : [folders]), ...names, ...below]
}

export function matchPath(
  pattern: PathPattern,
  names: readonly string[],
  budget: MatchBudget,
): boolean {
  if (pattern.length === 0 || names.length === 0) return false
  let at = 0
  let index = 0
  /** Where to go on after the last `**`, when the names behind it do not match. */
  let retry: { at: number; index: number } | undefined
  while (at < names.length) {
    if (!budget.spend(1)) return false
    const part = pattern[index]
    if (part === folders) {
      retry = { at, index: index + 1 }
      index += 1
    } else if (part !== undefined && matchName(part, names[at] ?? '', budget)) {
      at += 1
      index += 1
    } else if (retry !== undefined) {
      retry = { at: retry.at + 1, index: retry.index }
      at = retry.at
      index = retry.index
    } else {
      return false
    }
  }
  return pattern.slice(index).every((part) => part === folders)
}

function matchName(pattern: string, name: string, budget: MatchBudget): boolean {
  if (!/[*?]/.test(pattern)) return pattern === name
  let at = 0
  let index = 0
  let retry: { at: number; index: number } | undefined
  while (at < name.length) {
    if (!budget.spend(1)) return false
    if (pattern[index] === '*') {
      retry = { at, index: index + 1 }
      index += 1
    } else if (pattern[index] === '?' || pattern[index] === name[at]) {
      at += 1
      index += 1
    } else if (retry !== undefined) {
      retry = { at: retry.at + 1, index: retry.index }
      at = retry.at
      index = retry.index
    } else {
      return false
    }
  }
  while (pattern[index] === '*') index += 1
  return index === pattern.length
}
