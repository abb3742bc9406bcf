/**
 * Numbers that say what went wrong (an HTTP status, an errno, an SQLSTATE, the number of a React or
 * database error) and are therefore kept. Each pattern starts with the word that makes the number a
 * code, or is told by what follows the number. Part of g1.
 */

// cspell:disable: the first character of a word in either case is a class of characters.

/** `: `, `=`, ` (`, ` #`, `" ` and the like between the word and its number. */
const between = '["\']?(?: ?[:=] ?| ?[[(#]| )(?:is |was |of )?["\'#([]?'
const numberEnd = '(?![A-Za-z0-9]|\\.\\d)'
const code = `-?\\d{1,5}${numberEnd}`

/** Words that make a number after them a code. */
const words = [
  '[Ss]tatus(?:[ _-]?[Cc]ode)?',
  '(?:HTTPS?|https?)(?:/\\d(?:\\.\\d)?|Error|Exception|StatusError|_?[Ss]tatus)?(?: (?:[Ss]tatus|[Ee]rror|[Cc]ode|[Rr]esponse)){0,2}',
  // Not the codes that people type.
  '(?<!(?:[Zz]ip|ZIP|[Pp]ostal|[Pp]ost|[Pp]romo|[Aa]rea|[Cc]ountry|[Aa]ccess|[Cc]oupon|[Dd]iscount|[Vv]erification|[Cc]onfirmation|PIN|OTP|QR)[ _])[Cc]ode',
  '[a-z]{2,12}Code',
  '[Ee]rrno|ERRNO|os error|[Ww]in(?:dows|32)? ?[Ee]rror|[Ss]ignal|SQLCODE|sqlcode',
  '(?:[Ee]xit|[Ee]xited|[Tt]erminated)(?: with)?(?: (?:status|code|value))?',
  'curl|SMTP(?: [Ee]rror)?|FTP(?: [Ee]rror)?|MySQL|ldap_[a-z]{1,20}',
].join('|')

/** Words after which a number is a code only if it looks like an HTTP status. */
const weakWords =
  '(?:[Gg]ot|[Rr]eturn(?:s|ed)?|[Rr]eceived|[Rr]espon(?:se|ds?|ded)(?: with)?|[Aa]nswered|[Rr]eplied|[Ww]ith|[Gg]ave|[Uu]nexpected|[Ff]ailed|[Ee]rror|[Ee]xception)'
const failedStatus = '(?:4[0-4]\\d|451|499|5[0-3]\\d)'
const afterStatus =
  '(?![A-Za-z0-9]|[.,]\\d| [a-z])|(?= (?:for|from|on|when|while|at|in|to|after|because|response|error|status|by|as|instead|and)(?![A-Za-z])))'

const reasons = [
  '[Bb]ad [Rr]equest|[Uu]nauthorized|[Pp]ayment [Rr]eq|[Ff]orbidden|[Nn]ot [Ff]ound|[Mm]ethod [Nn]ot',
  '[Nn]ot [Aa]ccept|[Pp]roxy [Aa]uth|[Rr]equest [Tt]ime|[Cc]onflict|[Gg]one(?![a-z])|[Ll]ength [Rr]eq',
  '[Pp]recondition|[Pp]ayload [Tt]oo|[Cc]ontent [Tt]oo|[Rr]equest [EeHh]|URI [Tt]oo|[Uu]nsupported [Mm]edia',
  '[Rr]ange [Nn]ot|[Ee]xpectation|[Mm]isdirected|[Uu]nprocess|[Ll]ocked|[Ff]ailed [Dd]ep|[Tt]oo (?:[Ee]arly|[Mm]any)',
  '[Uu]pgrade [Rr]eq|[Uu]navailable|[Ii]nternal [Ss]erver|[Nn]ot [Ii]mpl|[Bb]ad [Gg]ate|[Ss]ervice (?:[Tt]emp|[Uu]nav)',
  '[Gg]ateway [Tt]|HTTP [Vv]ersion|[Ii]nsufficient [Ss]tor|OK(?![A-Za-z])|No [Cc]ontent|Moved|Found|See Other|Not Mod',
  'Temporary [Rr]|Permanent [Rr]|[Cc]lient [Ee]rror|[Ss]erver [Ee]rror|[Ww]eb [Ss]erver',
].join('|')

const sqlState = '[0-9A-Z]{5}(?![A-Za-z0-9])'

export const errorCodePattern = [
  `SQLSTATE[ :=([]{0,3}${sqlState}\\]?(?:: [A-Za-z ]{1,80}: \\d{1,5}${numberEnd}| \\[\\d{1,5}\\])?`,
  `[Ee](?:rror|RROR)(?: [Nn]umber| [Nn]o\\.?)?[ #]{1,2}${code}(?: \\(${sqlState}\\))?`,
  `[Ee]rror (?:[Nn]umber|[Nn]o\\.?)[ :=]{1,2}${code}`,
  'Msg \\d{1,6}, Level \\d{1,3}, State \\d{1,4}',
  '(?:ORA|PLS|TNS|RMAN|IMP|EXP|OCI|DPI|DPY|NJS|ERR|SQL|HY)-\\d{2,6}(?![A-Za-z0-9])',
  // HRESULT and NTSTATUS
  `(?:HRESULT|[Ee]rror|[Ss]tatus|[Cc]ode|[Ee]xception)${between}0x(?:8|[Cc]0)[0-9a-fA-F]{6,7}(?![A-Za-z0-9])`,
  '(?<=\\()0x(?:8[0-9a-fA-F]{7}|[Cc]0[0-9a-fA-F]{6})(?=\\))',
  `(?:${words})${between}${code}`,
  // What follows tells: `404 Not Found`, `14 UNAVAILABLE:`, `550 5.1.1`, `(1062, "Duplicate …`
  `[1-5]\\d{2}[)\\]]?(?: ?[:-])? \\(?(?:${reasons})`,
  '\\d{1,2} (?:[A-Z]{4,20}_)?[A-Z]{4,20}(?:_[A-Z]{2,20})?:',
  '[245]\\d{2}[ -]#?[245]\\.\\d{1,3}\\.\\d{1,3}(?![A-Za-z0-9])',
  '(?<=\\()-?\\d{3,5}(?=, ?b?["\'])',
  // `(404)`, and `failed: 404` at the end
  `(?<=[[(])${failedStatus}(?=[)\\]])`,
  `(?<=: )${failedStatus}(?=[.!]?(?![\\s\\S]))`,
  `${weakWords}(?: an?)?[ :]{1,2}\\(?${failedStatus}(?:${afterStatus}`,
].join('|')
