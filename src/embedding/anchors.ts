/** A note, a question that it answers in other words, and the same note said otherwise. */
interface Anchor {
  note: string
  question: string
  again: string
}

/**
 * What a model of unknown scale is measured with: everyday statements in ten languages. They are about different things,
 * so that each question is answered by one of the notes only.
 */
export const anchors: readonly Anchor[] = [
  {
    note: "The nightly build takes forty minutes on the small runner.",
    question: "How long does the build at night need?",
    again: "On the small runner the build at night needs forty minutes.",
  },
  {
    note: "Marta keeps bees behind the allotment.",
    question: "Who has beehives?",
    again: "Marta has beehives behind the allotment.",
  },
  {
    note: "Passwords are rotated every ninety days by the security team.",
    question: "How often do we change the passwords?",
    again: "Every ninety days the security team changes the passwords.",
  },
  {
    note: "The train to Porto leaves from platform six.",
    question: "From where does one leave for Porto?",
    again: "One boards the Porto train at platform six.",
  },
  {
    note: "Der Server im Keller wird jeden Sonntag neu gestartet.",
    question: "Wann startet die Maschine im Keller neu?",
    again: "Jeden Sonntag startet man den Server im Keller neu.",
  },
  {
    note: "Oma backt den Apfelkuchen mit Zimt und Rosinen.",
    question: "Was kommt in den Kuchen der Großmutter?",
    again: "In Omas Apfelkuchen sind Zimt und Rosinen.",
  },
  {
    note: "Le médecin a conseillé à Paul de marcher une heure par jour.",
    question: "Que doit faire Paul pour sa santé ?",
    again: "Selon le médecin, Paul devrait marcher une heure chaque jour.",
  },
  {
    note: "El contrato del piso vence en septiembre.",
    question: "¿Hasta cuándo tenemos alquilado el apartamento?",
    again: "En septiembre termina el contrato del piso.",
  },
  {
    note: "Сестра переехала в Казань ради новой работы.",
    question: "Почему сестра сменила город?",
    again: "Из-за новой работы сестра перебралась в Казань.",
  },
  {
    note: "Гараж открывается синим ключом.",
    question: "Чем открыть гараж?",
    again: "Синий ключ — от гаража.",
  },
  {
    note: "新来的设计师下周一开始上班。",
    question: "设计师什么时候入职？",
    again: "下周一新设计师就来上班了。",
  },
  {
    note: "医生让爸爸少吃盐。",
    question: "爸爸的饮食要注意什么？",
    again: "医生说爸爸要少放盐。",
  },
  {
    note: "会議室の鍵は受付で借りられます。",
    question: "会議室を開けるにはどうすればいい？",
    again: "受付で会議室の鍵を貸してもらえます。",
  },
  {
    note: "동생은 매운 음식을 먹지 못한다.",
    question: "동생이 싫어하는 음식은 무엇인가요?",
    again: "매운 음식은 동생이 못 먹는다.",
  },
  {
    note: "تُغلق المكتبة أبوابها في الثامنة مساءً.",
    question: "حتى متى تعمل المكتبة؟",
    again: "المكتبة تغلق الساعة الثامنة في المساء.",
  },
  {
    note: "दादी हर सुबह मंदिर जाती हैं।",
    question: "सुबह दादी कहाँ होती हैं?",
    again: "हर रोज़ सुबह दादी का मंदिर जाना होता है।",
  },
]
