/** A word without case, accents, spaces, hyphens and underscores, for comparing. */
export function plainWord(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ı", "i")
    .replaceAll(/[\s_\p{Pd}\\]+/gu, "")
}

const plainSet = (words: readonly string[]) => new Set(words.map(plainWord))

/** The sentinels that prompts ask for. */
const sentinels = ["NO_REPLY", "SKIP", "HEARTBEAT_OK"]

/** Texts that mean silence if they are the whole answer. */
export const silentAlone = plainSet([...sentinels, "no response", "null", "undefined", "none"])

/** Texts in brackets that mean silence: models translate or paraphrase the sentinel. */
export const silentInBrackets = plainSet([
  ...sentinels,
  ...[
    "no response",
    "no answer",
    "silent",
    "silence",
    "stay silent",
    "skipped",
    "pass",
    "none",
    "null",
    "object Object",
  ],
  ...["keine Antwort", "nicht antworten", "pas de réponse", "aucune réponse", "ne pas répondre"],
  ...["sin respuesta", "no responder", "sem resposta", "não responder", "nessuna risposta", "non rispondere"],
  ...["geen antwoord", "niet antwoorden", "inget svar", "ikke svar", "ingen svar", "ei vastausta"],
  ...["brak odpowiedzi", "bez odpowiedzi", "bez odpovědi", "bez odpovede", "nincs válasz", "fără răspuns"],
  ...["нет ответа", "без ответа", "не отвечать", "без відповіді", "немає відповіді", "без отговор"],
  ...["yanıt yok", "cevap yok", "καμία απάντηση", "אין תגובה", "ללא תגובה", "لا رد", "بدون رد", "بدون پاسخ"],
  ...["无回复", "无需回复", "不回复", "不需要回复", "無回覆", "無需回覆", "不回覆", "沉默", "跳过", "跳過"],
  ...[
    "返信なし",
    "返信不要",
    "回答なし",
    "応答なし",
    "スキップ",
    "답장 없음",
    "응답 없음",
    "답변 없음",
    "건너뛰기",
  ],
  ...["कोई उत्तर नहीं", "कोई जवाब नहीं", "không trả lời", "không phản hồi", "tidak ada balasan", "ไม่ตอบ"],
])

const glued = sentinels.map(plainWord).join("|")
const onlyGlued = new RegExp(`^(?:${glued})+$`)

/** Whether a text is a sentinel, or several in a row. */
export function isSentinel(text: string): boolean {
  return onlyGlued.test(plainWord(text))
}
