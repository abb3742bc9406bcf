/** Lists every regular expression of the sources, found in their syntax trees. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { projectRoot } from '#platform/project-root.ts'

export interface SourceRegex {
  readonly path: string
  readonly line: number
  readonly source: string
  readonly flags: string
}

export interface RegexList {
  readonly literals: SourceRegex[]
  /** Files that call `RegExp(…)`. */
  readonly constructing: string[]
}

export function listRegexes(folders: readonly string[]): RegexList {
  const literals: SourceRegex[] = []
  const constructing = new Set<string>()
  for (const path of folders.flatMap(sourcesIn)) {
    const text = readFileSync(join(projectRoot, path), 'utf8')
    const { program, errors } = parseSync(path, text)
    if (0 < errors.length) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`)
    const noteConstruction = ({ callee }: { callee: { type: string; name?: unknown } }) => {
      if (callee.type === 'Identifier' && callee.name === 'RegExp') constructing.add(path)
    }
    const visitor = new Visitor({
      Literal: (node) => {
        if (!('regex' in node)) return
        const line = text.slice(0, node.start).split('\n').length
        literals.push({ path, line, source: node.regex.pattern, flags: node.regex.flags })
      },
      NewExpression: noteConstruction,
      CallExpression: noteConstruction,
    })
    visitor.visit(program)
  }
  return { literals, constructing: [...constructing] }
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|js|mjs)$/.test(entry.name))
    .filter(({ name }) => !/(?:\.test|\.bench|-fixture)\.ts$/.test(name))
    .map((entry) => join(entry.parentPath, entry.name).slice(projectRoot.length).replace(/^\//, ''))
    .sort()
}
