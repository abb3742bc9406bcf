/**
 * Finds the paths of this repository that a document names: targets of links, and code in backticks
 * that begins with a folder of the repository. Paths with a placeholder or a star are not paths.
 */
import { dirname, join, normalize } from 'node:path'

export interface NamedPath {
  /** Relative to the root of the repository. A folder has no slash at its end. */
  readonly path: string
  /** From 1. */
  readonly line: number
}

/** `[text](target)`; the text may hold backticks, and a line break of the document. */
const link = /\]\(([^()\s]+)\)/g
const inlineCode = /`([^`\n]+)`/g
const pathText = /^[\w.@-]+(?:\/[\w.@-]+)*\/?$/

export function namedPaths(
  document: string,
  text: string,
  isTopLevel: (name: string) => boolean,
): NamedPath[] {
  const found: NamedPath[] = []
  const add = (path: string, line: number) =>
    found.push({ path: normalize(path).replace(/\/$/, ''), line })
  let isCode = false
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode
    if (isCode) continue
    for (const [, target = ''] of line.matchAll(link)) {
      const [path = ''] = target.split('#')
      if (path !== '' && !/^[a-z]+:/.test(path)) add(join(dirname(document), path), index + 1)
    }
    for (const [, code = ''] of line.matchAll(inlineCode)) {
      const [first = ''] = code.split('/')
      if (pathText.test(code) && code.includes('/') && isTopLevel(first)) add(code, index + 1)
    }
  }
  return found
}
