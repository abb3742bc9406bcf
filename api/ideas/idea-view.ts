/**
 * An idea as JSON text, written by Postgres: the list is the most asked-for reply of a portal, and text that is passed on costs this
 * process nothing, while rows would be read, turned into objects, checked and written again for each of them. Tests hold what comes
 * out against the schema that documents it.
 */

/** A time as every reply has it. */
export const isoTime = (column: string) =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * The JSON of the idea `i` with its counts `c`. `reader` is the parameter that holds the row id of who asks, if anybody does;
 * of nobody it is not said whether they voted.
 */
export function ideaJson(viewer: string | undefined): string {
  const optional =
    viewer === undefined
      ? ''
      : `,"user_has_voted":', to_json(exists (
           select from votes v where v.idea_id = coalesce(i.duplicate_of, i.id) and v.enduser_id = ${viewer}
         )), case when i.moderation = 'pending' then ',"moderation":"pending"' else '' end, '`
  return `concat(
    '{"id":"', i.id, '","title":', to_json(i.title), ',"description":', to_json(i.description),
    ',"status":"', i.status, '","tags":', coalesce((
      select json_agg(json_build_object('slug', t.slug, 'name', t.name, 'color', t.color)
        order by t.position, t.name, t.id)
      from idea_tags it join tags t on t.id = it.tag_id where it.idea_id = i.id
    ), '[]'),
    ',"vote_count":', c.vote_count, ',"comment_count":', c.comment_count,
    '${optional},"author_name":', coalesce(to_json((select u.name from endusers u where u.id = i.author_id)), 'null'),
    ',"response":', case when i.response is null then 'null' else concat(
      '{"body":', to_json(i.response), ',"author_name":', coalesce(to_json(i.response_by), 'null'),
      ',"created_at":"', ${isoTime('i.response_at')}, '"}') end,
    ',"duplicate_of":', case when i.duplicate_of is null then 'null' else concat('"', i.duplicate_of, '"') end,
    ',"created_at":"', ${isoTime('i.created_at')}, '","updated_at":"', ${isoTime('i.updated_at')}, '"}'
  )`
}
