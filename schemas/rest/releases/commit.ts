/** Commits of a release (http-api: Issues, `PUT releases/{release}/commits`). */
import { z } from 'zod'
import { MiB } from '../../limits.ts'
import { Instant } from '../page.ts'

export const commitsPerReleaseMax = 1_000
export const pathsPerCommitMax = 500
export const messageCharactersMax = 2_000
export const nameCharactersMax = 200
export const pathCharactersMax = 500

/** Of a request with the commits of a release: a thousand commits of 70 files. */
export const commitsBytesMax = 8 * MiB
export const commitPartsMax = 300_000

const hashPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const hashRule = 'must be the full hash of a commit, 40 or 64 hex digits'

export const CommitHash = z.string().toLowerCase().regex(hashPattern, hashRule)

/** Postgres stores no NUL. */
const text = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    .regex(/^[^\0]*$/, 'must have no NUL character')

const FullCommit = z
  .strictObject({
    id: CommitHash,
    message: text(messageCharactersMax).optional(),
    author_name: text(nameCharactersMax).nullable().optional(),
    author_email: text(nameCharactersMax).nullable().optional().describe('Finds the person.'),
    repository: text(nameCharactersMax).nullable().optional(),
    timestamp: Instant.nullable().optional(),
    patch_set: z
      .array(
        z.strictObject({
          path: text(pathCharactersMax).describe('From the root of the repository.'),
          type: z.enum(['A', 'M', 'D']).optional().describe('Added, modified or deleted.'),
        }),
      )
      .max(pathsPerCommitMax)
      .nullable()
      .optional()
      .describe('The files that it changed, which suspect commits are found by.'),
  })
  .meta({ id: 'NewCommit' })
export type FullCommit = z.infer<typeof FullCommit>

export const GivenCommit = z.union(
  [CommitHash, FullCommit],
  `${hashRule}, or an object with this as its id, and message, author_name, author_email, repository, timestamp and patch_set of at most ${pathsPerCommitMax} files`,
)
export type GivenCommit = z.infer<typeof GivenCommit>

const Person = z.object({ id: z.string(), name: z.string().nullable(), email: z.string() })

export const Commit = z
  .object({
    id: z.string(),
    subject: z.string().describe('The first line of its message.'),
    author_name: z.string().nullable(),
    author_email: z.string().nullable(),
    person: Person.nullable().describe('The member of the organization with this address.'),
    repository: z.string().nullable(),
    timestamp: z.string().nullable(),
    file_count: z.number().int(),
  })
  .meta({ id: 'Commit' })
export type Commit = z.infer<typeof Commit>

export const SuspectCommit = Commit.extend({
  release: z.string(),
  path: z.string().describe('The file of the commit that a frame of the stack lies in.'),
  frame: z.object({
    filename: z.string(),
    function: z.string().nullable(),
    line: z.number().int().nullable(),
  }),
}).meta({ id: 'SuspectCommit' })
export type SuspectCommit = z.infer<typeof SuspectCommit>

export const exampleCommit = {
  id: '6b1f0c2d9e8a4b7c8d9e0f1a2b3c4d5e6f708192',
  subject: 'Read the cart once',
  author_name: 'Ada',
  author_email: 'ada@example.com',
  person: null,
  repository: 'acme/shop',
  timestamp: '2026-11-20T07:40:00.000Z',
  file_count: 2,
} satisfies Commit
