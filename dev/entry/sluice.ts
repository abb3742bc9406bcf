#!/usr/bin/env node
/**
 * The entry point of the container image and of systemd units: `sluice <program> …`. The program
 * runs in this process, so signals and the exit code are its own.
 */
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isProgramWord, programWords } from './program-words.ts'
import { programs } from './programs.ts'

const [word, ...args] = process.argv.slice(2)

if (word === undefined || word === '--help' || word === '-h' || word === 'help') {
  process.stdout.write(helpText())
} else if (word === 'node') {
  await runFile(args)
} else {
  await runProgram(word)
}

async function runProgram(name: string): Promise<void> {
  if (!isProgramWord(name)) {
    process.stderr.write(`sluice: unknown program ${JSON.stringify(name)}. See sluice --help.\n`)
    process.exitCode = 1
    return
  }
  const program = programs[name]
  if (!program.handlesSignals) endOnSignals()
  // The program sees the arguments as if it had been started directly.
  process.argv = [process.execPath, process.argv[1] ?? 'sluice', ...args]
  await program.load()
}

/** `node dist/ingest/main.js`, as commands of containers named a process before this program. */
async function runFile([file, ...others]: readonly string[]): Promise<void> {
  if (file === undefined || file.startsWith('-')) {
    process.stderr.write('sluice: node needs a file, as in sluice node dist/ingest/main.js.\n')
    process.exitCode = 1
    return
  }
  process.argv = [process.execPath, resolve(file), ...others]
  await import(pathToFileURL(resolve(file)).href)
}

/** Linux does not end process 1, which a container's command is, on a signal without a handler. */
function endOnSignals(): void {
  if (process.pid !== 1) return
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
}

function helpText(): string {
  const width = Math.max(...programWords.map((name) => name.length))
  const lines = programWords.map((name) => `  ${name.padEnd(width)}  ${programs[name].summary}`)
  return `Usage: sluice <program> [arguments]\n\n${lines.join('\n')}\n\nSettings are environment variables. Every one is described in .env.example.\n`
}
