import type { Words } from './words.ts'

const plurals = new Intl.PluralRules('ar')

/** Of the six plural forms those that these words need. */
function counted(
  count: number,
  forms: { one: string; two: string; few: string; many: string },
): string {
  const form = plurals.select(count)
  if (form === 'one') return forms.one
  if (form === 'two') return forms.two
  return `${count.toLocaleString('ar')} ${form === 'few' ? forms.few : forms.many}`
}

export const arabic: Words = {
  title: 'الأفكار',
  skip: 'انتقل إلى المحتوى',
  all: 'الكل',
  byStatus: 'حسب الحالة',
  status: {
    Open: 'مفتوحة',
    Planned: 'مخطط لها',
    Started: 'قيد التنفيذ',
    Completed: 'مكتملة',
    Declined: 'مرفوضة',
    Duplicate: 'مكررة',
  },
  search: 'ابحث في الأفكار',
  searchPlaceholder: 'ابحث أو اقترح…',
  sortBy: 'الترتيب حسب',
  top: 'الأعلى',
  newest: 'الأحدث',
  tags: 'الوسوم',
  suggest: 'اقترح فكرة',
  suggestShort: 'اقترح',
  suggestThis: (text) => `اقترح «${text}»`,
  nothingFits: (text) => `لا توجد فكرة تطابق «${text}» بعد.`,
  nothingHere: 'لا يوجد شيء هنا بعد.',
  beFirst: 'ما الذي يجعل هذا أفضل لك؟ كن أول من يقوله.',
  found: (count) =>
    counted(count, { one: 'فكرة واحدة', two: 'فكرتان', few: 'أفكار', many: 'فكرة' }),
  more: 'عرض المزيد',
  votes: (count) => counted(count, { one: 'صوت واحد', two: 'صوتان', few: 'أصوات', many: 'صوتًا' }),
  vote: (title) => `صوّت لـ «${title}»`,
  comments: (count) =>
    counted(count, { one: 'تعليق واحد', two: 'تعليقان', few: 'تعليقات', many: 'تعليقًا' }),
  noComments: 'لا توجد تعليقات بعد. ما رأيك؟',
  by: (name) => `بواسطة ${name}`,
  writtenOn: (title) => `على «${title}»`,
  anonymous: 'شخص ما',
  team: 'الفريق',
  back: 'كل الأفكار',
  history: 'ما الذي حدث',
  suggested: 'اقتُرحت',
  moved: (status) => `الآن: ${status}`,
  merged: 'دُمجت مع فكرة أخرى',
  unmerged: 'عادت فكرة مستقلة',
  response: 'رد الفريق',
  pending: 'قيد المراجعة',
  pendingNote: 'أنت وحدك ترى هذا حتى يراجعه الفريق.',
  duplicateNote: 'سبق اقتراح هذه الفكرة. تُحتسب الأصوات للفكرة الأخرى.',
  duplicateLink: 'اذهب إلى تلك الفكرة',
  deleted: 'حُذف هذا التعليق.',
  reply: 'رد',
  send: 'أضف التعليق',
  writeComment: 'أضف تعليقًا',
  writeReply: 'ردك',
  email: 'البريد الإلكتروني (اختياري)',
  emailWhy: 'فقط لنخبرك عندما يكون هناك رد.',
  suggestTitle: 'اقترح فكرة',
  suggestIntro: 'فكرة واحدة في كل مرة؛ ويمكن للآخرين التصويت لها.',
  ideaTitle: 'في كلمات قليلة',
  ideaTitleHint: 'عنوان قصير يجده الآخرون',
  ideaText: 'ماذا ستتيح لك؟',
  ideaTextHint: 'ما الذي تحاول فعله، وما الذي يعيقك اليوم؟',
  similar: 'هل قالها أحد من قبل؟',
  submit: 'أرسل الفكرة',
  signIn: 'سجّل الدخول من حيث أتيت لتصوّت وتكتب هنا.',
  poweredBy: 'يعمل بواسطة Sluice',
  feedNew: 'الأفكار الجديدة',
  feedStatus: 'تغيّرات الحالة',
  leaveEmpty: 'اترك هذا فارغًا',
  tooFast: 'كان ذلك سريعًا. انتظر لحظة ثم أرسل مرة أخرى.',
  failed: 'لم ينجح ذلك. حاول مرة أخرى.',
  offline: 'لا يوجد اتصال. لم يُرسل شيء.',
  voted: 'احتُسب صوتك.',
  unvoted: 'سُحب صوتك.',
  notFound: 'لا يوجد شيء هنا',
  notFoundText: 'ربما كان الرابط قديمًا أو أزيلت الفكرة.',
  unavailable: 'هذه الصفحة في استراحة قصيرة. حاول بعد قليل.',
}
