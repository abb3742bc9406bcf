/**
 * What `sentry-cli` sends. Fields that Sluice has no use for are ignored, and texts that are longer
 * than ours are cut, so that a deployment does not fail for them.
 */
import { z } from 'zod'
import { Instant } from '#schemas/rest/page.ts'
import {
  CommitHash,
  commitsPerReleaseMax,
  type FullCommit,
  messageCharactersMax,
  nameCharactersMax,
  pathCharactersMax,
  pathsPerCommitMax,
} from '#schemas/rest/releases/commit.ts'
import { NewDeploy, WebUrl } from '#schemas/rest/releases/deploy.ts'
import { versionCharactersMax, versionPattern } from '#schemas/rest/releases/release-changes.ts'
import { storedText } from '#schemas/stored-text.ts'

/** Far more than an organization deploys together. */
const projectsMax = 100
const commitsReadMax = 10_000
/** Of sixteen digits at most, as JSON carries them. */
const projectNumberMax = 10 ** 15
const filesReadMax = 100_000
/** Longer than any text of a commit; the size of the body bounds all of them together. */
const textCharactersMax = 100_000
const text = z.string().max(textCharactersMax)

const SentCommit = z.looseObject({
  id: CommitHash,
  message: text.nullish(),
  author_name: text.nullish(),
  author_email: text.nullish(),
  repository: text.nullish(),
  timestamp: text.nullish(),
  patch_set: z
    .array(z.looseObject({ path: text }))
    .max(filesReadMax)
    .nullish(),
})

const Projects = z
  .array(z.union([text, z.number().int().min(0).max(projectNumberMax)]))
  .max(projectsMax)
  .optional()

export const SentRelease = z.looseObject({
  projects: Projects,
  url: WebUrl.nullish(),
  dateReleased: Instant.nullish(),
  status: text.nullish(),
  commits: z.array(SentCommit).max(commitsReadMax).nullish(),
  refs: z.array(z.unknown()).max(commitsReadMax).nullish(),
})
export type SentRelease = z.infer<typeof SentRelease>

export const SentNewRelease = SentRelease.extend({
  version: z
    .string()
    .min(1)
    .max(versionCharactersMax)
    .regex(versionPattern, 'must have no control characters'),
})

export const SentDeploy = z.looseObject({
  projects: Projects,
  environment: NewDeploy.shape.environment,
  name: NewDeploy.shape.name,
  url: NewDeploy.shape.url,
  dateStarted: Instant.nullish(),
  dateFinished: Instant.nullish(),
})
export type SentDeploy = z.infer<typeof SentDeploy>

export function commitsOf(sent: NonNullable<SentRelease['commits']>): FullCommit[] {
  return sent.slice(0, commitsPerReleaseMax).map((one) => ({
    id: one.id,
    message: cut(one.message, messageCharactersMax),
    author_name: cut(one.author_name, nameCharactersMax),
    author_email: cut(one.author_email, nameCharactersMax),
    repository: cut(one.repository, nameCharactersMax),
    timestamp: Instant.safeParse(one.timestamp).data ?? null,
    patch_set: (one.patch_set ?? [])
      .filter(({ path }) => path.length <= pathCharactersMax)
      .slice(0, pathsPerCommitMax)
      .map(({ path }) => ({ path })),
  }))
}

function cut(text: string | null | undefined, charactersMax: number): string {
  return storedText(text ?? '', charactersMax)
}
