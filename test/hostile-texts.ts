/**
 * Values that a client may write in any field: JSON texts, so that there are also values which no JavaScript value stands for.
 */
export const hostileTexts = [
  // Texts: NUL, lone surrogates, escapes, controls, bidirectional marks, names of prototypes, length.
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"x\\udc00"',
  '"\\u001b[2J\\u0007\\u0085"',
  '"\\u202e\\ufeff\\uffff"',
  '"__proto__"',
  '""',
  '" \\t\\r\\n "',
  JSON.stringify('long '.repeat(14_000)),
  JSON.stringify('\u{1f9e8}'.repeat(3_000)),
  // Numbers: beyond every column, no integers, not finite once parsed.
  '-1',
  '0.5',
  '1e308',
  '1e999',
  '-1e999',
  '4294967296',
  '9007199254740993',
  '99999999999999999999999999999',
  // Dates: before year 1, beyond year 9999, beyond what ClickHouse and Postgres hold, with impossible offsets.
  '"0000-01-01T00:00:00Z"',
  '"-0044-03-15T00:00:00Z"',
  '"9999-12-31T23:59:60Z"',
  '"+275760-09-13T00:00:00Z"',
  '"2026-02-30T25:61:61+21:40"',
  '-62135596801',
  '253402300800',
  // Other types.
  'null',
  'true',
  '[]',
  '{}',
  '[[["\\u0000"]]]',
  '{"__proto__":{"\\u0000":"\\ud800"},"constructor":1,"values":[null,1,"\\u0000"]}',
] as const
