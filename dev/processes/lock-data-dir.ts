/**
 * Ensures that one product runs per data folder. The lock is a file that names its holder, so that
 * a lock left by a killed process is recognised.
 */
import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isAlive, startMark } from './process-table.ts'

const Holder = z.object({ pid: z.number().int().positive(), startMark: z.string() })

const attemptsMax = 5

export type DataDirLock =
  | { readonly kind: 'locked'; readonly stale: boolean; readonly release: () => Promise<void> }
  | { readonly kind: 'held'; readonly pid: number }

/** Pid of the process that runs the product of this folder; undefined if none does. */
export async function holderOf(dataDir: string): Promise<number | undefined> {
  const text = await readFile(lockPath(dataDir), 'utf8').catch(() => '')
  return livingHolder(text)?.pid
}

export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  await mkdir(dataDir, { recursive: true, mode: 0o711 })
  const path = lockPath(dataDir)
  const own = join(dataDir, `supervisor.${randomUUID()}.lock`)
  await writeFile(own, JSON.stringify({ pid: process.pid, startMark: startMark(process.pid) }))
  try {
    let stale = false
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      // A hard link appears with its content, so that no reader sees an incomplete lock.
      if (await linked(own, path)) {
        return { kind: 'locked', stale, release: () => rm(path, { force: true }) }
      }
      const text = await readFile(path, 'utf8').catch(() => '')
      const holder = livingHolder(text)
      if (holder) return { kind: 'held', pid: holder.pid }
      stale = true
      await clearAway(path, text, `${own}.stale`)
    }
    throw new Error(`${path} could not be taken`)
  } finally {
    await rm(own, { force: true })
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Removes the lock that was read, but not a newer one of another process. */
async function clearAway(path: string, text: string, aside: string): Promise<void> {
  try {
    await rename(path, aside)
  } catch {
    return
  }
  if ((await readFile(aside, 'utf8')) !== text) await linked(aside, path)
  await rm(aside, { force: true })
}

function lockPath(dataDir: string): string {
  return join(dataDir, 'supervisor.lock')
}

function livingHolder(text: string): z.infer<typeof Holder> | undefined {
  const holder = readHolder(text)
  const lives = holder && isAlive(holder.pid) && startMark(holder.pid) === holder.startMark
  return lives ? holder : undefined
}

function readHolder(text: string): z.infer<typeof Holder> | undefined {
  try {
    return Holder.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
