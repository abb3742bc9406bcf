/**
 * The owner file in a log's folder, which identifies the process, and the check whether that
 * process is still running.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

export const ownerFile = 'owner.json'
/** A process on another host is observed only by its heartbeat. */
const silentMsMax = 60_000

const Owner = z.object({
  pid: z.number().int(),
  startMark: z.string(),
  host: z.string(),
  /** Absent in logs of earlier versions. */
  installation: z.string().optional(),
})
export type WalOwner = z.infer<typeof Owner>

export function thisProcess(installationId: string): WalOwner {
  const { pid } = process
  return { pid, startMark: startMark(pid), host: hostMark(), installation: installationId }
}

/** Undefined when the file is missing, or empty after a power failure. */
export async function readWalOwner(folder: string): Promise<WalOwner | undefined> {
  try {
    return ownerOf(await readFile(join(folder, ownerFile), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Whether the process that owns the folder is running. A folder without an owner file was adopted,
 * so its process is dead.
 */
export async function isOwnerAlive(folder: string, nowMs: number): Promise<boolean> {
  const path = join(folder, ownerFile)
  try {
    const owner = ownerOf(await readFile(path, 'utf8'))
    if (owner?.host === hostMark()) return startMark(owner.pid) === owner.startMark
    return nowMs < (await stat(path)).mtimeMs + silentMsMax
  } catch (error) {
    // Any other error is inconclusive.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function ownerOf(text: string): WalOwner | undefined {
  try {
    return Owner.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Identifies where a pid is unique: one start of one machine, and one container on it. */
function hostMark(): string {
  return [
    hostname(),
    systemText(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    systemText(() => readlinkSync('/proc/self/ns/pid')),
  ]
    .join(' ')
    .trim()
}

function systemText(read: () => string): string {
  try {
    return read().trim()
  } catch {
    return ''
  }
}

/**
 * Start time of the process in the kernel's units; empty when it does not exist. Distinguishes two
 * processes with the same pid.
 */
function startMark(pid: number): string {
  if (process.platform !== 'linux') return isThere(pid) ? String(pid) : ''
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain anything, so fields are counted from its end.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    // A zombie process writes nothing.
    return fields[0] === 'Z' || fields[0] === 'X' ? '' : (fields[19] ?? '')
  } catch {
    return ''
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
