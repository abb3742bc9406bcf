/** Generated ideas with all that hangs on them, written to the tables as the portal does. */
import fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { IdeaDescription } from '#schemas/rest/idea.ts'
import { cleanVisibleLine, cleanVisibleText, isVisible } from '#schemas/visible-text.ts'
import { mergeIdea } from '../api/portal/admin/ideas/merge-idea.ts'
import type { ApiFixture } from './api-fixture.ts'
import { hostileTexts } from './hostile-texts.ts'
import type { FilePortal } from './idea-file-fixture.ts'

const lineCharactersMax = 120
/** Hostile texts as the portal stores them: cleaned, and visible. */
const hostileStrings = hostileTexts
  .map((text): unknown => JSON.parse(text))
  .filter((value) => typeof value === 'string')
const hostileLines = hostileStrings
  .map((text) => cleanVisibleLine(cleanVisibleLine(text).slice(0, lineCharactersMax)))
  .filter(isVisible)
const hostileParagraphs = [
  ...hostileStrings,
  ...['two\r\nlines', '\u2028 separators \u2029', '"quotes", \'too\'', '<b>&amp;</b>'],
]
  .map(cleanVisibleText)
  .filter((text) => IdeaDescription.safeParse(text).success)

const word = fc.oneof(
  fc.constantFrom(
    'Dark mode',
    '=cmd|calc',
    'Über "alles", ja; nein',
    "'=kept",
    '[x]',
    'وضع داكن',
    '👍🏽 | 🏴‍☠️',
    '-1',
    '{"a":1}',
    'a\tb',
  ),
  fc.constantFrom(...hostileLines),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .map((text) => cleanVisibleLine(`x${text}`)),
)
const paragraph = fc.oneof(word, fc.constantFrom(...hostileParagraphs))
const users = [
  'ada',
  'bob smith',
  'c|d',
  'user, with comma',
  '[weird]',
  'erin@x.test',
  '01',
  "'quoted",
  // One letter in two spellings: two users.
  '\u00e9',
  'e\u0301',
  ' spaced ',
]
const statuses = ['Open', 'Planned', 'Started', 'Completed', 'Declined'] as const

export const generatedIdeas = fc.array(
  fc.record({
    title: word,
    description: paragraph,
    status: fc.constantFrom(...statuses),
    moderation: fc.constantFrom('published', 'published', 'published', 'pending', 'rejected'),
    author: fc.option(fc.constantFrom(...users)),
    tags: fc.uniqueArray(fc.constantFrom('design', 'mobile', 'api-v2'), { maxLength: 3 }),
    voters: fc.uniqueArray(fc.constantFrom(...users), { maxLength: 6 }),
    imported: fc.constantFrom(0, 0, 5, 7, 1_234),
    response: fc.option(paragraph),
    comments: fc.array(
      fc.record({
        body: paragraph,
        author: fc.option(fc.constantFrom(...users)),
        parent: fc.option(fc.nat(5)),
        state: fc.constantFrom('published', 'pending', 'rejected', 'deleted'),
      }),
      { maxLength: 5 },
    ),
    mergeInto: fc.option(fc.nat(8)),
    // Few values, so that many ideas have the same time, to the microsecond or but for it.
    minutes: fc.nat(2),
    microseconds: fc.constantFrom('000', '001', '456'),
  }),
  { minLength: 1, maxLength: 6 },
)
export type GeneratedIdeas = typeof generatedIdeas extends fc.Arbitrary<infer P> ? P : never

export async function fillPortal(
  { pool, ctx }: ApiFixture,
  { tenant }: FilePortal,
  ideas: GeneratedIdeas,
): Promise<void> {
  const projectId = tenant.project.id
  const rowOf = new Map<string, string>()
  for (const [at, user] of users.entries()) {
    const id = uuidv7()
    rowOf.set(user, id)
    await pool.query(
      `insert into endusers (id, project_id, enduser_id, name, email, email_source, trusted, blocked_at, created_at,
         last_seen_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, '2025-01-01T00:00:00.000001Z', '2025-02-01T00:00:00.000002Z')`,
      [
        id,
        projectId,
        user,
        at % 2 ? `Name ${at}` : null,
        at % 3 ? null : `u${at}@x.test`,
        at % 3 ? null : ['token', 'typed'][at % 2],
        at === 1,
        at === 2 ? '2026-01-01T00:00:00.123456Z' : null,
      ],
    )
  }
  for (const [at, slug] of ['design', 'mobile', 'api-v2'].entries()) {
    await pool.query(
      'insert into tags (id, project_id, slug, name, color, position) values ($1, $2, $3, $4, $5, $6)',
      [...[uuidv7(), projectId, slug, `Name of ${slug}`, `#11223${at}`, at]],
    )
  }
  await pool.query(
    `insert into portal_optouts (project_id, email_key, reason, at)
     values ($1, 'mine@x.test', 'stop', '2026-02-01T00:00:00.000007Z'), ($1, 'u0@x.test', 'not_me', '2026-02-02')`,
    [projectId],
  )
  const ids: string[] = []
  for (const idea of ideas) {
    const id = uuidv7()
    ids.push(id)
    const time = new Date(Date.parse('2026-03-01T00:00:00Z') + idea.minutes * 60_000)
      .toISOString()
      .replace('Z', `${idea.microseconds}Z`)
    await pool.query(
      `insert into ideas (id, project_id, title, description, status, moderation, author_id, author_email, imported_votes,
         response, response_by, response_at, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)`,
      [
        id,
        projectId,
        idea.title.trim().replace(/\s+/g, ' '),
        idea.description.trim(),
        idea.status,
        idea.moderation,
        idea.author && rowOf.get(idea.author),
        idea.author && 'mine@x.test',
        idea.imported,
        idea.response?.trim() ?? null,
        idea.response && 'Grace',
        idea.response && time,
        time,
      ],
    )
    await pool.query(
      `insert into idea_events (id, idea_id, kind, to_status, actor, details, at) values ($1, $2, 'created', 'Open', null, '{}', $3)`,
      [uuidv7(), id, time],
    )
    await pool.query(
      'insert into idea_tags select $1, id from tags where project_id = $2 and slug = any($3)',
      [id, projectId, idea.tags],
    )
    for (const [at, voter] of idea.voters.entries()) {
      await pool.query(
        'insert into votes (idea_id, enduser_id, email, cast_by, created_at) values ($1, $2, $3, $4, $5)',
        [
          ...[
            id,
            rowOf.get(voter),
            at === 0 ? 'vote@x.test' : null,
            at === 1 ? 'Grace: by phone' : null,
            time,
          ],
        ],
      )
    }
    const comments: { id: string; root: string; depth: number }[] = []
    for (const { body, author, parent, state } of idea.comments) {
      const above = parent === null ? undefined : comments[parent]
      const commentId = uuidv7()
      const placed = {
        id: commentId,
        root: above?.root ?? commentId,
        depth: (above?.depth ?? 0) + 1,
      }
      comments.push(placed)
      const isDeleted = state === 'deleted'
      await pool.query(
        `insert into comments (id, project_id, idea_id, parent_id, root_id, depth, body, author_id, author_name, author_email,
           is_team, moderation, deleted_at, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)`,
        [
          commentId,
          projectId,
          id,
          above?.id ?? null,
          placed.root,
          placed.depth,
          isDeleted ? '' : body.trim(),
          author && rowOf.get(author),
          author ? 'Shown' : 'Grace',
          author && 'c@x.test',
          author === null,
          isDeleted ? 'published' : state,
          isDeleted ? time : null,
          time,
        ],
      )
    }
    await pool.query(
      `update idea_counts set vote_count = votes_of_idea($1), comment_count = (select count(*) from comments
         where idea_id = $1 and moderation = 'published' and deleted_at is null) where idea_id = $1`,
      [id],
    )
  }
  for (const [at, { mergeInto }] of ideas.entries()) {
    if (mergeInto === null || mergeInto >= ideas.length || mergeInto === at) continue
    const merge = {
      projectId,
      ideaId: ids[at]!,
      into: ids[mergeInto]!,
      actor: 'Grace',
      now: new Date(Date.parse('2026-04-01') + at),
    }
    await ctx.pg.transaction((pg) => mergeIdea(pg, merge)).catch(() => undefined)
  }
}
