/**
 * The rules of the repository that no linter checks: which files may use a driver, no circular
 * imports, the number of files in a folder, the width of comment and document lines. Each rule
 * returns one sentence per violation.
 */
import { dirname } from 'node:path'
import { findCircles, type ImportGraph } from './import-graph.ts'

/**
 * Packages that open connections. Files that import none of them can be tested without a socket.
 */
const driverPattern =
  /^(?:pg|@clickhouse\/client|@nats-io\/.+|uWebSockets\.js(?:-next)?|graphile-worker|nodemailer|node:tls|node:http|node:https)$/

const serviceFile = /^(?:ingest|workers|api)\//
const mayHoldDrivers = [/-store\.ts$/, /\/io\//, /(?:^|\/)main\.ts$/, /\.test\.ts$/]

/** Other files that may use a driver, each with its reason. */
const namedDriverFiles: Readonly<Record<string, string>> = {
  'api/database.ts': 'is the only way of the API to Postgres and ClickHouse',
  'workers/dead-letters/dead-letter-publisher.ts': 'publishes retried records to the stream',
  'workers/connect.ts': 'opens the connections of the workers',
  'workers/jobs/cron-jobs.ts': 'parses crontabs as graphile-worker does',
  'workers/jobs/job-runner.ts': 'runs graphile-worker',
  'workers/mail/mail-session.ts': 'holds the lock of the process that sends email',
  'workers/outbox/outbox-publisher.ts': 'publishes waiting events to the stream',
  'workers/ownership/ownership.ts': 'holds the locks of partitions on a connection of its own',
  'workers/stream/partition-log.ts': 'reads the stream',
}

export function driverViolations({ packages }: ImportGraph): string[] {
  const found: string[] = []
  for (const [file, names] of packages) {
    if (!serviceFile.test(file) || mayHoldDrivers.some((allowed) => allowed.test(file))) continue
    if (file in namedDriverFiles) continue
    for (const name of names.filter((name) => driverPattern.test(name))) {
      found.push(`${file} imports ${name}: move the query or the socket to a *-store.ts file`)
    }
  }
  return found
}

/** Reports files of the list that no longer import a driver. */
export function staleDriverFiles({ packages }: ImportGraph): string[] {
  return Object.keys(namedDriverFiles)
    .filter((file) => !packages.get(file)?.some((name) => driverPattern.test(name)))
    .map((file) => `${file} imports no driver: remove it from namedDriverFiles`)
}

export function importCircles({ files }: ImportGraph): string[] {
  return findCircles(files).map((circle) => `import circle: ${circle.join(', ')}`)
}

const filesPerFolderMax = 25
/** Migrations are never moved, so these folders only grow. */
const unboundedFolders = new Set(['schemas/postgres', 'schemas/clickhouse'])

export function crowdedFolders(paths: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts]
    .filter(([folder, count]) => count > filesPerFolderMax && !unboundedFolders.has(folder))
    .map(([folder, count]) => `${folder}/ holds ${count} files, more than ${filesPerFolderMax}`)
}

const columnsMax = 100

/** Checks comments and documents, except tables, URLs and code blocks. Biome formats the code. */
export function wideLines(path: string, text: string): string[] {
  const isProse = path.endsWith('.md') ? isDocumentLine() : isCommentLine
  return text.split('\n').flatMap((line, index) => {
    const columns = [...line].length
    if (!isProse(line) || columns <= columnsMax || /https?:\/\/\S{40}/.test(line)) return []
    return [`${path}:${index + 1} is ${columns} columns wide, more than ${columnsMax}`]
  })
}

function isCommentLine(line: string): boolean {
  return /^\s*(?:\/\/(?!\s*biome-ignore)|\/?\*)/.test(line)
}

/** Tracks whether the current line is in a code block, so call it for the lines in order. */
function isDocumentLine(): (line: string) => boolean {
  let isCode = false
  return (line) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    return !isCode && !/^\s*(?:\||\[[^\]]+\]:)/.test(line)
  }
}

/**
 * Biome puts the limit of a test behind the last brace, or in a line of its own. A hook may be a
 * single line.
 */
const limitedTest =
  /^( *)(?:(?:test|it|describe|(?:before|after)(?:All|Each))\b|\]\)\(|`\)?\().*\n(?:(?!\1\S).*\n)*?(?:\1\}, ([\w.]+)|\1 {2}\},\n\1 {2}([\w.]+),\n\1)\)$/gm
const limitedHook = /^( *)(?:before|after)(?:All|Each)\(.*\), ([\w.]+)\)$/gm
/** A limit as short as this one says that something is done in one pass. */
const assertedMsMax = 5_000

/**
 * A test ends when its work is done. Limits of its own only make it fail on a slower machine;
 * vitest.config.ts ends those that hang.
 */
export function testLimits(path: string, text: string): string[] {
  if (!path.endsWith('.test.ts') && !path.startsWith('test/fixtures/')) return []
  return [...text.matchAll(limitedTest), ...text.matchAll(limitedHook)].flatMap((match) => {
    const limit = match[2] ?? match[3] ?? ''
    if (Number(limit.replaceAll('_', '')) <= assertedMsMax) return []
    const line = text.slice(0, match.index + match[0].length).split('\n').length
    return [`${path}:${line} limits a test to ${limit} ms: leave that to vitest.config.ts`]
  })
}
