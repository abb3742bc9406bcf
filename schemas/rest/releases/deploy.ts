/** Deploys of a release: when it was put into an environment. */
import { z } from 'zod'
import { Instant } from '../page.ts'

export const deploysPerReleaseMax = 200
const charactersMax = 64
const urlCharactersMax = 2_000

/** Shown as a link, so it has no other scheme. */
export const WebUrl = z
  .url({ protocol: /^https?$/, error: 'must be a URL with http or https' })
  .max(urlCharactersMax)

const label = z
  .string()
  .min(1)
  .max(charactersMax)
  .regex(/^[^\p{Cc}]+$/u, 'must have no control characters')

export const NewDeploy = z
  .strictObject({
    environment: label,
    name: label.nullable().optional(),
    url: WebUrl.nullable().optional(),
    started_at: Instant.nullable().optional(),
    finished_at: Instant.nullable().optional().describe('Default: now.'),
  })
  .refine(
    ({ started_at: started, finished_at: finished }) =>
      !started || !finished || Date.parse(started) <= Date.parse(finished),
    { path: ['started_at'], error: 'must not be after finished_at' },
  )
  .meta({ id: 'NewDeploy', example: { environment: 'production' } })
export type NewDeploy = z.infer<typeof NewDeploy>

export const Deploy = z
  .object({
    id: z.string(),
    environment: z.string(),
    name: z.string().nullable(),
    url: z.string().nullable(),
    started_at: z.string().nullable(),
    finished_at: z.string(),
  })
  .meta({
    id: 'Deploy',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      environment: 'production',
      name: null,
      url: null,
      started_at: '2026-11-20T08:13:00.000Z',
      finished_at: '2026-11-20T08:15:00.000Z',
    },
  })
export type Deploy = z.infer<typeof Deploy>

export const DeployList = z.object({
  items: z.array(Deploy).describe(`The newest first, at most ${deploysPerReleaseMax}.`),
})
export type DeployList = z.infer<typeof DeployList>
