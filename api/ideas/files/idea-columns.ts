/**
 * Maps columns of a file to fields of an idea: our own names, and those of Canny, Fider and
 * UserVoice. Names are compared without case, spaces and punctuation.
 */

/**
 * Names of the columns of each field. If a file has several of them, the first one is used and the
 * others are reported.
 */
const aliases = {
  id: ['id', 'number', 'postid', 'ideaid', 'suggestionid'],
  title: ['title', 'ideatitle', 'posttitle', 'suggestiontitle', 'name', 'subject'],
  description: [
    ...['description', 'details', 'body', 'text', 'content', 'postdetails'],
    ...['ideadescription', 'suggestionbody', 'suggestiondescription'],
  ],
  status: ['status', 'poststatus', 'publicstatusname', 'statusname', 'suggestionstatusname'],
  status_before_merge: ['statusbeforemerge'],
  moderation: ['moderation'],
  tags: ['tags', 'labels', 'labelsname', 'suggestionlabelsname'],
  tag_details: ['tagdetails'],
  imported_votes: ['importedvotes'],
  vote_count: [
    ...['votecount', 'votescount', 'totalvotes', 'votes', 'score', 'votescore', 'voterscount'],
    ...[
      'supporterscount',
      'suggestionvotescount',
      'suggestionsupporterscount',
      'upvotes',
      'totallikes',
    ],
  ],
  voters: ['voters'],
  voter_id: ['useremailaddress', 'useremail', 'supporteremail', 'voteremail'],
  voter_name: ['username', 'supportername', 'votername'],
  author_id: ['authorid', 'creatorid'],
  author: ['author', 'user'],
  author_name: [
    ...['authorname', 'createdby', 'creatorname', 'ideacreatorname', 'suggestioncreatorname'],
  ],
  author_email: [
    ...['authoremail', 'creatoremail', 'ideacreatoremailaddress', 'suggestioncreatoremail'],
  ],
  response: [
    ...['response', 'adminresponse', 'suggestionresponsetext', 'publicstatusupdatemessage'],
  ],
  response_by: ['responseby', 'respondedby'],
  response_at: ['responseat', 'respondedat', 'publicstatusupdatedtimestamp'],
  duplicate_of: ['duplicateof', 'originalnumber', 'suggestionparentid', 'parentid', 'mergedinto'],
  created_at: [
    ...['createdat', 'created', 'createdon', 'createddate', 'creationdate', 'createdtimestamp'],
    ...['suggestioncreatedtimestamp', 'suggestioncreatedat', 'date'],
  ],
  updated_at: ['updatedat', 'suggestionupdatedtimestamp'],
  comments: ['comments'],
  events: ['events'],
  users: ['users'],
  notice_optouts: ['noticeoptouts'],
} as const satisfies Readonly<Record<string, readonly string[]>>
export type IdeaColumn = keyof typeof aliases

/** Columns that repeat others: the number of the listed comments, and the title of an original. */
const derived: ReadonlyMap<string, IdeaColumn> = new Map([
  ['commentcount', 'comments'],
  ['originaltitle', 'duplicate_of'],
])

export interface ColumnPlan {
  readonly nameOf: ReadonlyMap<IdeaColumn, string>
  readonly ignored: readonly string[]
}

export function planColumns(names: Iterable<string>): ColumnPlan {
  const given = new Map<string, string>()
  const ignored: string[] = []
  for (const name of names) {
    const plain = plainColumn(name)
    // A column without a name, or the second one with its name.
    if (given.has(plain)) ignored.push(name)
    else given.set(plain, name)
  }
  const nameOf = new Map<IdeaColumn, string>()
  for (const [field, known] of Object.entries(aliases) as [IdeaColumn, readonly string[]][]) {
    const found = known.find((alias) => given.has(alias))
    if (found !== undefined) nameOf.set(field, given.get(found)!)
  }
  const taken = new Set(nameOf.values())
  for (const [plain, name] of given) {
    const field = derived.get(plain)
    const isDerived = field !== undefined && nameOf.has(field)
    if (!taken.has(name) && !isDerived) ignored.push(name)
  }
  return { nameOf, ignored }
}

function plainColumn(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}
