/**
 * An idea as JSON text, written by Postgres. The list is the most frequent reply of a portal, and
 * passing text on costs this process nothing, while rows would be parsed, validated and serialized.
 * Tests compare the text with the schema that documents it.
 */

/** A time in the format of all replies. */
export const isoTime = (column: string) =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * SQL of the JSON of the idea `i` with its counts `c`.
 * @param viewer SQL of the row id of the visitor; undefined: `user_has_voted` is omitted.
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
