import type { Words } from './words.ts'

const counted = (count: number, one: string, many: string) =>
  `${count.toLocaleString('de')} ${count === 1 ? one : many}`

export const german: Words = {
  title: 'Ideen',
  skip: 'Zum Inhalt',
  all: 'Alle',
  byStatus: 'Nach Stand',
  status: {
    Open: 'Offen',
    Planned: 'Geplant',
    Started: 'In Arbeit',
    Completed: 'Erledigt',
    Declined: 'Abgelehnt',
    Duplicate: 'Doppelt',
  },
  search: 'Ideen suchen',
  searchPlaceholder: 'Suchen oder vorschlagen …',
  sortBy: 'Sortieren nach',
  top: 'Beliebt',
  newest: 'Neu',
  tags: 'Themen',
  suggest: 'Idee vorschlagen',
  suggestShort: 'Vorschlagen',
  suggestThis: (text) => `„${text}“ vorschlagen`,
  nothingFits: (text) => `Zu „${text}“ gibt es noch keine Idee.`,
  nothingHere: 'Hier ist noch nichts.',
  beFirst: 'Was würde es für Sie besser machen? Sagen Sie es als Erste.',
  found: (count) => counted(count, 'Idee', 'Ideen'),
  more: 'Mehr zeigen',
  votes: (count) => counted(count, 'Stimme', 'Stimmen'),
  vote: (title) => `Für „${title}“ stimmen`,
  comments: (count) => counted(count, 'Kommentar', 'Kommentare'),
  noComments: 'Noch keine Kommentare. Was meinen Sie?',
  by: (name) => `von ${name}`,
  writtenOn: (title) => `zu „${title}“`,
  anonymous: 'Jemand',
  team: 'Team',
  back: 'Alle Ideen',
  history: 'Was geschah',
  suggested: 'Vorgeschlagen',
  moved: (status) => `Jetzt: ${status}`,
  merged: 'Mit einer anderen Idee vereint',
  unmerged: 'Wieder eine eigene Idee',
  response: 'Antwort des Teams',
  pending: 'Wartet auf Freigabe',
  pendingNote: 'Diese Idee wartet auf Freigabe. Bis das Team sie geprüft hat, sehen nur Sie sie.',
  pendingCommentNote:
    'Dieser Kommentar wartet auf Freigabe. Bis das Team ihn geprüft hat, sehen nur Sie ihn.',
  pendingEvent: 'Wartet auf Freigabe',
  duplicateNote: 'Das wurde schon vorgeschlagen. Stimmen zählen für die andere Idee.',
  duplicateLink: 'Zu dieser Idee',
  deleted: 'Dieser Kommentar wurde gelöscht.',
  reply: 'Antworten',
  send: 'Kommentieren',
  writeComment: 'Kommentar schreiben',
  writeReply: 'Ihre Antwort',
  email: 'E-Mail (freiwillig)',
  emailWhy: 'Nur um Ihnen zu sagen, wenn es eine Antwort gibt.',
  suggestTitle: 'Idee vorschlagen',
  suggestIntro: 'Eine Idee auf einmal; andere können dafür stimmen.',
  ideaTitle: 'In wenigen Worten',
  ideaTitleHint: 'Ein kurzer Titel, den andere finden',
  ideaText: 'Was könnten Sie damit tun?',
  ideaTextHint: 'Was haben Sie vor, und was steht heute im Weg?',
  similar: 'Hat es schon jemand gesagt?',
  submit: 'Idee senden',
  signIn: 'Melden Sie sich dort an, woher Sie kamen, um hier abzustimmen und zu schreiben.',
  poweredBy: 'Läuft mit Sluice',
  feedNew: 'Neue Ideen',
  feedStatus: 'Was sich geändert hat',
  leaveEmpty: 'Bitte leer lassen',
  tooFast: 'Das ging schnell. Bitte warten Sie einen Augenblick und senden Sie es noch einmal.',
  failed: 'Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.',
  offline: 'Es gibt keine Verbindung. Nichts wurde gesendet.',
  voted: 'Ihre Stimme zählt.',
  unvoted: 'Ihre Stimme wurde zurückgenommen.',
  notFound: 'Hier ist nichts',
  notFoundText: 'Der Link ist vielleicht alt, oder die Idee wurde entfernt.',
  unavailable:
    'Diese Seite ist gerade nicht erreichbar. Bitte versuchen Sie es gleich noch einmal.',
  foreignForm:
    'Dieses Formular kam von einer anderen Website, deshalb wurde nichts gespeichert. Öffnen Sie das Portal und senden Sie es dort.',
  refusals: {
    'validation_failed:title': 'Bitte geben Sie einen Titel mit 1 bis 200 Zeichen ein.',
    'validation_failed:description': 'Bitte beschreiben Sie die Idee mit 1 bis 10.000 Zeichen.',
    'validation_failed:body': 'Bitte schreiben Sie einen Kommentar mit 1 bis 5.000 Zeichen.',
    'validation_failed:enduser_email':
      'Diese E-Mail-Adresse ist ungültig. Korrigieren Sie sie oder lassen Sie das Feld leer.',
    'validation_failed:parent_id': 'Den Kommentar, auf den Sie antworten, gibt es nicht mehr.',
    'validation_failed:enduser_id':
      'Dieser Browser konnte nicht erkannt werden. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
    token_required:
      'Melden Sie sich dort an, woher Sie kamen, um hier abzustimmen und zu schreiben.',
    token_invalid:
      'Ihre Anmeldung gilt hier nicht. Melden Sie sich dort, woher Sie kamen, noch einmal an.',
    token_expired:
      'Ihre Anmeldung ist abgelaufen. Melden Sie sich dort, woher Sie kamen, noch einmal an.',
    blocked: 'Das Team hat dieses Portal für Sie geschlossen.',
    suggestions_closed: 'Dieses Portal nimmt zurzeit keine neuen Ideen an.',
    comments_closed: 'Dieses Portal nimmt zurzeit keine Kommentare an.',
    thread_full: 'Hier sind keine weiteren Antworten möglich.',
    not_found: 'Der Link ist vielleicht alt, oder die Idee wurde entfernt.',
    body_too_large: 'Dieser Text ist zu lang.',
    unavailable:
      'Diese Seite ist gerade nicht erreichbar. Bitte versuchen Sie es gleich noch einmal.',
    rate_limited:
      'Zu viele Anfragen. Bitte warten Sie einen Augenblick und versuchen Sie es noch einmal.',
    'rate_limited:read':
      'Zu viele Anfragen. Bitte warten Sie einen Augenblick und versuchen Sie es noch einmal.',
    'rate_limited:page':
      'Aus Ihrem Netz wurden zu viele Seiten geöffnet. Bitte warten Sie einen Augenblick und versuchen Sie es noch einmal.',
    'rate_limited:vote':
      'Aus Ihrem Netz sind {count} Stimmen in der Minute möglich. Bitte warten Sie einen Augenblick und versuchen Sie es noch einmal.',
    'rate_limited:suggest':
      'Aus Ihrem Netz sind {count} Ideen in der Minute möglich. Bitte warten Sie einen Augenblick und versuchen Sie es noch einmal.',
    'rate_limited:suggest_hour':
      'Aus Ihrem Netz sind {count} Ideen in der Stunde möglich. Bitte versuchen Sie es später noch einmal.',
    'rate_limited:suggest_portal':
      'Dieses Portal nimmt {count} Ideen in der Stunde an, und so viele sind schon da. Bitte versuchen Sie es später noch einmal.',
    'rate_limited:comment':
      'Aus Ihrem Netz sind {count} Kommentare in der Minute möglich. Bitte warten Sie einen Augenblick und versuchen Sie es noch einmal.',
  },
}
