/** What a client that builds or deploys says about a release. */
import { z } from 'zod'
import { Instant } from '../page.ts'
import { WebUrl } from './deploy.ts'

export const versionCharactersMax = 250
export const versionPattern = /^[^\p{Cc}]+$/u

const fields = {
  url: WebUrl.nullable().optional().describe('A page about the release.'),
  date_released: Instant.nullable()
    .optional()
    .describe('When it was made available; null: not yet.'),
}

export const NewRelease = z
  .strictObject({
    version: z
      .string()
      .min(1)
      .max(versionCharactersMax)
      .regex(versionPattern, 'must have no control characters'),
    ...fields,
  })
  .meta({ id: 'NewRelease', example: { version: 'shop@1.4.1' } })
export type NewRelease = z.infer<typeof NewRelease>

export const ReleaseChange = z
  .strictObject(fields)
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    path: ['date_released'],
    error: 'or url must be given',
  })
  .meta({ id: 'ReleaseChange', example: { date_released: '2026-11-20T08:15:00.000Z' } })
export type ReleaseChange = z.infer<typeof ReleaseChange>

export const ReleaseRecord = z
  .object({
    version: z.string(),
    url: z.string().nullable(),
    date_released: z.string().nullable(),
    date_created: z.string().describe('When Sluice first heard of it.'),
  })
  .meta({
    id: 'ReleaseRecord',
    example: {
      version: 'shop@1.4.1',
      url: null,
      date_released: '2026-11-20T08:15:00.000Z',
      date_created: '2026-11-20T08:01:00.000Z',
    },
  })
export type ReleaseRecord = z.infer<typeof ReleaseRecord>
