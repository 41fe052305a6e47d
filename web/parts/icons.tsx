const paths = {
  today:
    "M4 6.5h16M7 3v3M17 3v3M5 5h14a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1M8 12h3",
  memory: "M12 5a4 4 0 0 0-7 3 4 4 0 0 0 0 7 4 4 0 0 0 7 4 4 4 0 0 0 7-4 4 4 0 0 0 0-7 4 4 0 0 0-7-3m0 0v14",
  graph:
    "M6 17.5 11 8m2 0 5 6.5M8 18h8M12 4a2 2 0 1 1 0 4 2 2 0 0 1 0-4M6 16a2 2 0 1 1 0 4 2 2 0 0 1 0-4m12-1a2 2 0 1 1 0 4 2 2 0 0 1 0-4",
  conflicts: "M8 4v12a3 3 0 0 0 3 3h5M16 16l3 3-3 3M16 20V8a3 3 0 0 0-3-3H8M8 8 5 5l3-3",
  inbox: "M4 13 6.5 5h11L20 13v6H4zM4 13h5l1 2.500h4l1-2.500h5",
  cycles: "M19 8a8 8 0 0 0-14-1M5 3v4h4M5 16a8 8 0 0 0 14 1m0 4v-4h-4",
  queue: "M5 6h14M5 12h14M5 18h8",
  sessions: "M5 5h14v11H9l-4 3.500z",
  usage: "M5 19V9m5 10V5m5 14v-7m5 7v-3",
  journal: "M7 4h11v16H7a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2m2 5h6m-6 4h6",
  chat: "M12 5c4.500 0 8 2.700 8 6.200s-3.500 6.200-8 6.200c-.8 0-1.600-.1-2.300-.3L5 19l1.200-3.300C4.800 14.600 4 13 4 11.200 4 7.700 7.500 5 12 5",
  settings: "M5 8h9m4 0h1M5 16h1m4 0h9M16 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4m-8 8a2 2 0 1 1 0 4 2 2 0 0 1 0-4",
  doctor:
    "M12 20s-7-4.500-7-10a4 4 0 0 1 7-2.600A4 4 0 0 1 19 10c0 5.500-7 10-7 10m-5-8h3l1.500-3 2 5 1-2h2.500",
  search: "M10.500 5a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11M15 15l4.500 4.500",
  menu: "M5 7h14M5 12h14M5 17h14",
  sun: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8m0-5v2m0 14v2M3 12h2m14 0h2M5.600 5.600 7 7m10 10 1.400 1.400M5.600 18.400 7 17M17 7l1.400-1.400",
  moon: "M19 14a7.500 7.500 0 0 1-9-9 7.500 7.500 0 1 0 9 9",
} as const

export type IconName = keyof typeof paths

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}
