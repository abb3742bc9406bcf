/**
 * Emails the owners of an organization that one kind of error creates more issues than people can
 * read; once per hour and kind.
 */
import { z } from 'zod'
import type { ProjectId } from '#schemas/ids.ts'
import type { OwnerEmail, WarnedProject } from './quota-warning.ts'

const IssueBurst = z.object({
  project_id: z.number().int().positive(),
  /** Hours since the Unix epoch. */
  hour: z.number().int(),
  kind: z.string(),
  limit: z.number().int(),
})

export interface IssueBurstContext {
  /** Undefined if the project was deleted meanwhile. */
  readonly findProject: (projectId: ProjectId) => Promise<WarnedProject | undefined>
  readonly send: (email: OwnerEmail) => Promise<void>
}

const msPerHour = 3_600_000

export async function warnOfBurst(payload: unknown, ctx: IssueBurstContext): Promise<void> {
  const { project_id, hour, kind, limit } = IssueBurst.parse(payload)
  const project = await ctx.findProject(project_id as ProjectId)
  if (project === undefined) return
  const from = new Date(hour * msPerHour).toISOString().slice(0, 16)
  const subject = `${project.name}: more than ${limit} new issues of one kind`
  const text = [
    `Within the hour from ${from} (UTC), errors of one kind created ${limit} new issues in the project ${project.name} of ${project.organizationName}: ${kind}.`,
    'For the rest of that hour, further errors of this kind are grouped only by it and by the frame of the crash. No event is lost, and existing issues do not change.',
    'If they are one error, send the same fingerprint with each of them, or leave out the part of their message or stack that differs each time. You can also merge the issues.',
  ].join('\n\n')
  const { organizationId } = project
  for (const to of project.ownerAddresses) {
    // The first word identifies emails that earlier versions queued. cspell:ignore flood
    const key = `flood ${project_id} ${hour} ${kind} ${to}`
    await ctx.send({ organizationId, to, subject, text, key })
  }
}
