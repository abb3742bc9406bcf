/** The file in a log's folder that names the process whose log it is, and whether that process lives. */
import { readFileSync, readlinkSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

export const ownerFile = 'owner.json'
/** On another host a process is seen only by its beat. */
const silentMsMax = 60_000

const Owner = z.object({
  pid: z.number().int(),
  startMark: z.string(),
  host: z.string(),
  /** Logs of earlier versions do not say whose they are. */
  installation: z.string().optional(),
})
export type WalOwner = z.infer<typeof Owner>

export function thisProcess(installationId: string): WalOwner {
  const { pid } = process
  return { pid, startMark: startMark(pid), host: hostMark(), installation: installationId }
}

/** Undefined when the folder has no such file, or when a power cut has left it empty. */
export async function readWalOwner(folder: string): Promise<WalOwner | undefined> {
  try {
    return ownerOf(await readFile(join(folder, ownerFile), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Whether the process lives whose own log is in that folder. A folder without an owner was taken over from it. */
export async function isOwnerAlive(folder: string, nowMs: number): Promise<boolean> {
  const path = join(folder, ownerFile)
  try {
    const owner = ownerOf(await readFile(path, 'utf8'))
    if (owner?.host === hostMark()) return startMark(owner.pid) === owner.startMark
    return nowMs < (await stat(path)).mtimeMs + silentMsMax
  } catch (error) {
    // Any other error tells nothing.
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

/** Where the number of a process means the same process: one start of one machine, and one container on it. */
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

/** When the process was started, as the system counts; empty when there is none. Tells two apart that had one pid. */
function startMark(pid: number): string {
  if (process.platform !== 'linux') return isThere(pid) ? String(pid) : ''
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything, so count from its end.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    // One that has ended and was not waited for writes nothing any more.
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
