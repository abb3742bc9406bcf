/**
 * Ends engines that outlived a killed supervisor. The pid of each engine is recorded when it
 * starts. The next supervisor of the same data folder ends those that still run, after checking
 * that the pid has not been reused.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { commandLine, startMark, waitForExit } from './process-table.ts'

const Recorded = z.object({ pid: z.number().int().positive(), startMark: z.string() })

export interface Program {
  /** A part of the command line of the program. */
  readonly command: string
  readonly stopSignal: NodeJS.Signals
}

const gracePeriodMs = 5_000

export async function recordProcess(folder: string, name: string, pid: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.json`), JSON.stringify({ pid, startMark: startMark(pid) }))
}

export async function forgetProcess(folder: string, name: string): Promise<void> {
  await rm(join(folder, `${name}.json`), { force: true })
}

/** Returns the names of the engines that it ended. */
export async function endStaleProcesses(
  folder: string,
  programs: Readonly<Record<string, Program>>,
): Promise<string[]> {
  const ended: string[] = []
  for (const [name, program] of Object.entries(programs)) {
    const path = join(folder, `${name}.json`)
    const recorded = Recorded.safeParse(await readJson(path))
    if (recorded.success && isStillRunning(recorded.data, program)) {
      ended.push(name)
      await endProcess(recorded.data.pid, program.stopSignal)
    }
    await rm(path, { force: true })
  }
  return ended
}

function isStillRunning({ pid, startMark: mark }: z.infer<typeof Recorded>, program: Program) {
  return startMark(pid) === mark && commandLine(pid).includes(program.command)
}

async function endProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  signalQuietly(pid, signal)
  if (await waitForExit(pid, gracePeriodMs)) return
  signalQuietly(pid, 'SIGKILL')
  await waitForExit(pid, gracePeriodMs)
}

/** The process may have ended since it was found. */
function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {}
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return undefined
  }
}
