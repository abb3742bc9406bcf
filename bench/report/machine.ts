import { arch, cpus, release, totalmem, type } from 'node:os'

/** What was measured on, without naming the machine. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly system: string
  readonly node: string
}

export function describeMachine(): Machine {
  const processors = cpus()
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    // A kernel's local suffix says where it was built, which is nobody's business.
    system: `${type()} ${release().split('-')[0]} ${arch()}`,
    node: process.version,
  }
}
