/**
 * Resource usage of a process and its children, from Linux's /proc. On other systems it is
 * undefined, and the report says so.
 */
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessUsage {
  /** User and system time, including ended children. */
  readonly cpuMs: number
  /** Proportional set size, so that memory shared by Postgres's processes is counted once. */
  readonly residentBytes: number
}

/** Linux reports process times in units of 10 ms on every platform that Node supports. */
const msPerTick = 10

export function readProcessUsage(pid: number): ProcessUsage | undefined {
  const family = processFamily(pid)
  let cpuMs = 0
  let residentBytes = 0
  let found = false
  for (const member of family) {
    const stat = readStat(member)
    if (stat === undefined) continue
    found = true
    cpuMs += stat.ticks * msPerTick
    residentBytes += family.length === 1 ? readResident(member) : readProportional(member)
  }
  return found ? { cpuMs, residentBytes } : undefined
}

export interface ProcessStat {
  readonly parentPid: number
  readonly ticks: number
}

/**
 * The command is in parentheses and may contain parentheses and spaces, so fields are read after
 * the last one.
 */
export function parseStat(text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [parentPid, ...times] = [fields[1], ...fields.slice(11, 15)].map(Number)
  if (parentPid === undefined || times.length !== 4 || times.some(Number.isNaN)) return undefined
  return { parentPid, ticks: times.reduce((sum, ticks) => sum + ticks, 0) }
}

/** The process and all its descendants. */
function processFamily(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of listProcesses()) {
    const stat = readStat(name)
    if (stat !== undefined) parents.set(name, stat.parentPid)
  }
  const family = [pid]
  for (const member of family) {
    for (const [child, parent] of parents) if (parent === member) family.push(child)
  }
  return family
}

function listProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

function readStat(pid: number): ProcessStat | undefined {
  const text = readText(`/proc/${pid}/stat`)
  return text === undefined ? undefined : parseStat(text)
}

function readResident(pid: number): number {
  return kilobytes(readText(`/proc/${pid}/status`), 'VmRSS') * 1024
}

function readProportional(pid: number): number {
  const rollup = readText(`/proc/${pid}/smaps_rollup`)
  return rollup === undefined ? readResident(pid) : kilobytes(rollup, 'Pss') * 1024
}

function kilobytes(text: string | undefined, name: string): number {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text ?? '')
  return Number(match?.[1] ?? 0)
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // The process has ended since it was listed, or its memory map is not readable.
    return undefined
  }
}
