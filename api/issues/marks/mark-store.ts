/** Bookmarks of people, and links of issues, in Postgres. */
import type { Database } from '../../database.ts'

export interface StoredLink {
  readonly id: string
  readonly url: string
  readonly title: string | null
  readonly created_at: Date
}

export async function writeBookmark(
  client: Database,
  bookmark: { issueId: string; personId: string; at: Date },
): Promise<void> {
  await client.query(
    `insert into issue_bookmarks (issue_id, person_id, created_at) values ($1, $2, $3)
     on conflict do nothing`,
    [bookmark.issueId, bookmark.personId, bookmark.at],
  )
}

export async function removeBookmark(
  client: Database,
  bookmark: { issueId: string; personId: string },
): Promise<void> {
  await client.query('delete from issue_bookmarks where issue_id = $1 and person_id = $2', [
    bookmark.issueId,
    bookmark.personId,
  ])
}

/** Those of the issues that the person has a bookmark of; none for a token. */
export async function bookmarkedIssues(
  pg: Database,
  { issueIds, personId }: { issueIds: readonly string[]; personId: string | undefined },
): Promise<ReadonlySet<string>> {
  if (personId === undefined || issueIds.length === 0) return new Set()
  const { rows } = await pg.query<{ issue_id: string }>(
    'select issue_id from issue_bookmarks where person_id = $1 and issue_id = any($2::uuid[])',
    [personId, issueIds],
  )
  return new Set(rows.map(({ issue_id }) => issue_id))
}

/** Oldest first. */
export async function listLinks(pg: Database, issueId: string): Promise<StoredLink[]> {
  const { rows } = await pg.query<StoredLink>(
    `select id, url, title, created_at from issue_links
     where issue_id = $1 order by created_at, id`,
    [issueId],
  )
  return rows
}

export async function writeLink(
  client: Database,
  issueId: string,
  { id, url, title, created_at }: StoredLink,
): Promise<void> {
  await client.query(
    'insert into issue_links (id, issue_id, url, title, created_at) values ($1, $2, $3, $4, $5)',
    [id, issueId, url, title, created_at],
  )
}

/** Returns the link, if the issue had it. */
export async function removeLink(
  client: Database,
  link: { issueId: string; id: string },
): Promise<StoredLink | undefined> {
  const { rows } = await client.query<StoredLink>(
    `delete from issue_links where issue_id = $1 and id = $2
     returning id, url, title, created_at`,
    [link.issueId, link.id],
  )
  return rows[0]
}

/**
 * Copies the bookmarks and links of an issue to the one that it is merged into, which keeps its own
 * where both have the same. The copies name the issue that a person marked.
 */
export async function copyMarks(
  client: Database,
  merge: { readonly from: string; readonly to: string },
): Promise<void> {
  await client.query(
    `insert into issue_bookmarks (issue_id, person_id, created_at, came_from)
     select $2, person_id, created_at, coalesce(came_from, issue_id) from issue_bookmarks
     where issue_id = $1 on conflict do nothing`,
    [merge.from, merge.to],
  )
  await client.query(
    `insert into issue_links (id, issue_id, url, title, created_at, came_from)
     select gen_random_uuid(), $2, url, title, created_at, coalesce(came_from, issue_id)
     from issue_links where issue_id = $1 on conflict do nothing`,
    [merge.from, merge.to],
  )
}

/**
 * Takes back the copies that other issues have of the marks of these.
 * @param issueIds an issue that is separate again, and all that are merged into it.
 */
export async function takeBackMarks(client: Database, issueIds: readonly string[]): Promise<void> {
  for (const table of ['issue_bookmarks', 'issue_links']) {
    await client.query(
      `delete from ${table} where came_from = any($1::uuid[]) and issue_id <> all($1::uuid[])`,
      [issueIds],
    )
  }
}
