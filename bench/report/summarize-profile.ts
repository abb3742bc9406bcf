/**
 * Sums the samples of V8 CPU profiles by function: the time in the function itself, without its
 * callees.
 */
import { z } from 'zod'

export const CpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({
        functionName: z.string(),
        url: z.string(),
        lineNumber: z.number(),
      }),
      children: z.array(z.number()).default([]),
    }),
  ),
  samples: z.array(z.number()).default([]),
  timeDeltas: z.array(z.number()).default([]),
})
export type CpuProfile = z.infer<typeof CpuProfile>

export interface ProfileLine {
  readonly name: string
  readonly selfUs: number
  /** Share of the time that was not idle. */
  readonly share: number
}

export interface ProfileSummary {
  readonly busyUs: number
  readonly idleUs: number
  readonly lines: readonly ProfileLine[]
}

export interface SummaryOptions {
  readonly linesMax: number
  /** Prefix that is removed from file names. */
  readonly root: string
}

/** Profiles of several threads of one process are summed. */
export function summarizeProfiles(
  profiles: readonly CpuProfile[],
  options: SummaryOptions,
): ProfileSummary {
  const selfUs = new Map<string, number>()
  let idleUs = 0
  for (const profile of profiles) {
    const names = nodeNames(profile, options.root)
    for (const [index, sample] of profile.samples.entries()) {
      // A sample covers the time until the next one.
      const us = profile.timeDeltas[index + 1] ?? 0
      const name = names.get(sample) ?? '(unknown)'
      if (name === '(idle)') idleUs += us
      else selfUs.set(name, (selfUs.get(name) ?? 0) + us)
    }
  }
  const busyUs = [...selfUs.values()].reduce((sum, us) => sum + us, 0)
  const lines = [...selfUs]
    .sort(([, left], [, right]) => right - left)
    .slice(0, options.linesMax)
    .map(([name, us]) => ({ name, selfUs: us, share: busyUs === 0 ? 0 : us / busyUs }))
  return { busyUs, idleUs, lines }
}

/** Native functions have no file and often a general name, so their caller is added. */
function nodeNames(profile: CpuProfile, root: string): Map<number, string> {
  const parents = new Map(
    profile.nodes.flatMap((node) => node.children.map((child) => [child, node] as const)),
  )
  return new Map(
    profile.nodes.map((node) => {
      const name = frameName(node.callFrame, root)
      if (node.callFrame.url !== '' || name.startsWith('(')) return [node.id, name]
      let caller = parents.get(node.id)
      while (caller !== undefined && caller.callFrame.url === '') caller = parents.get(caller.id)
      return [
        node.id,
        caller === undefined ? name : `${name}, native, in ${frameName(caller.callFrame, root)}`,
      ]
    }),
  )
}

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

function frameName(frame: CallFrame, root: string): string {
  const name = frame.functionName === '' ? '(anonymous)' : frame.functionName
  if (frame.url === '') return name
  const file = frame.url
    .replace(/^file:\/\//, '')
    .replace(root, '')
    .replace(/^\//, '')
    .replace(/^.*node_modules\//, '')
  return `${name} ${file}:${frame.lineNumber + 1}`
}
