export const figures = {
  milliseconds: (n: string) => `${n} ms`,
  seconds: (n: string) => `${n} s`,
  minutes: (n: string) => `${n} min`,
  minutesSeconds: (minutes: string, seconds: string) => `${minutes} min ${seconds} s`,
  hoursMinutes: (hours: string, minutes: string) => `${hours} h ${minutes} min`,
  bytes: (n: string) => `${n} B`,
  kilobytes: (n: string) => `${n} KB`,
  megabytes: (n: string) => `${n} MB`,
  gigabytes: (n: string) => `${n} GB`,
  percent: (n: string) => `${n} %`,
};
