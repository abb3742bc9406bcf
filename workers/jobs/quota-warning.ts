/**
 * Emails the owners of an organization that a project has used up a part of its quota. The job is
 * enqueued by the lease request that passed the threshold, in its transaction, once per threshold
 * and period.
 */
import { z } from 'zod'
import type { ProjectId } from '#schemas/ids.ts'

export const QuotaWarning = z.object({
  project_id: z.number().int().positive(),
  /** First day of the month, as `2026-11-01`. */
  period: z.string(),
  percent: z.number().int(),
})
export type QuotaWarning = z.infer<typeof QuotaWarning>

export interface WarnedProject {
  readonly name: string
  readonly organizationId: string
  readonly organizationName: string
  readonly monthlyEvents: number | null
  readonly ownerAddresses: readonly string[]
}

export interface OwnerEmail {
  readonly organizationId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The same for every attempt, so that the email is sent once. */
  readonly key: string
}

export interface QuotaWarningContext {
  /** Undefined if the project was deleted meanwhile. */
  readonly findProject: (projectId: ProjectId) => Promise<WarnedProject | undefined>
  readonly send: (email: OwnerEmail) => Promise<void>
  /** Lets alert rules fire. Returns whether any has: the owners chose how to be told. */
  readonly fire?: (warning: QuotaWarning, reason: string) => Promise<boolean>
}

export async function warnOfQuota(payload: unknown, ctx: QuotaWarningContext): Promise<void> {
  const warning = QuotaWarning.parse(payload)
  const project = await ctx.findProject(warning.project_id as ProjectId)
  if (project === undefined || project.monthlyEvents === null) return
  const [told = false] = [await ctx.fire?.(warning, quotaReason(warning, project))]
  if (told) return
  for (const email of quotaEmails(warning, project)) await ctx.send(email)
}

function quotaReason({ period, percent }: QuotaWarning, { monthlyEvents }: WarnedProject): string {
  const limit = (monthlyEvents ?? 0).toLocaleString('en-US')
  return `${percent} percent of the ${limit} events of ${period.slice(0, 7)} are used.`
}

/** Returns one email per owner, so that owners do not see each other's addresses. */
export function quotaEmails(warning: QuotaWarning, project: WarnedProject): OwnerEmail[] {
  const month = warning.period.slice(0, 7)
  const limit = (project.monthlyEvents ?? 0).toLocaleString('en-US')
  const isUsedUp = 100 <= warning.percent
  const subject = isUsedUp
    ? `${project.name} has used up its events of ${month}`
    : `${project.name} has used ${warning.percent} % of its events of ${month}`
  const consequence = isUsedUp
    ? 'Further events are refused and counted as over_quota until the month ends or the limit is raised.'
    : 'When it has used all of them, further events are refused and counted as over_quota.'
  const text = [
    `The project ${project.name} of ${project.organizationName} may send ${limit} events a month (UTC).`,
    `${subject}.`,
    consequence,
    'To raise the limit: npm run admin -- quota update --monthly-events N, or PUT /api/v1/projects/{project_id}/quota.',
  ].join('\n\n')
  return project.ownerAddresses.map((to) => ({
    organizationId: project.organizationId,
    to,
    subject,
    text,
    key: `quota ${warning.project_id} ${warning.period} ${warning.percent} ${to}`,
  }))
}
