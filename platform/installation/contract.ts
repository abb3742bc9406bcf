/**
 * Whether a migration breaks processes of the previous version. A migration is an expansion, which
 * they survive, unless one of the comment lines at the top of its file is `-- contract` or
 * `-- contract: <reason>`.
 */
const commentLine = /^\s*--/
const contractLine = /^\s*--\s*contract\s*(?::.*)?$/

export function isContract(sql: string): boolean {
  for (const line of sql.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (line.trim() === '') continue
    if (!commentLine.test(line)) return false
    if (contractLine.test(line)) return true
  }
  return false
}
