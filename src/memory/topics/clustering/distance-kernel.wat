;; Squared distances of one row to many others.
;;
;; A row is $stride bytes of 32-bit floats; $stride is a multiple of 64. The others are listed by their
;; number. Differences are squared and summed as they are, not by way of dot products: nothing cancels, so
;; that near vectors keep their precision, equal ones are exactly 0 apart, and both directions agree.
(module
  (memory (export "memory") 1)

  (func (export "distances")
    (param $row i32)     ;; address of the row
    (param $list i32)    ;; address of the next number in the list
    (param $end i32)     ;; address behind the list
    (param $stride i32)  ;; bytes in a row
    (param $rows i32)    ;; address of row 0
    (param $out i32)     ;; address of the next sum, a 64-bit float

    (local $mine i32)
    (local $other i32)
    (local $other_end i32)
    (local $step v128)
    (local $a v128)      ;; partial sums over every sixteen columns, four each
    (local $b v128)
    (local $c v128)
    (local $d v128)

    (block $done
      (loop $others
        (br_if $done (i32.ge_u (local.get $list) (local.get $end)))
        (local.set $mine (local.get $row))
        (local.set $other
          (i32.add (local.get $rows) (i32.mul (i32.load (local.get $list)) (local.get $stride))))
        (local.set $other_end (i32.add (local.get $other) (local.get $stride)))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (local.set $c (v128.const i32x4 0 0 0 0))
        (local.set $d (v128.const i32x4 0 0 0 0))

        (loop $columns
          (local.set $step (f32x4.sub (v128.load (local.get $mine)) (v128.load (local.get $other))))
          (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $step) (local.get $step))))
          (local.set $step
            (f32x4.sub (v128.load offset=16 (local.get $mine)) (v128.load offset=16 (local.get $other))))
          (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $step) (local.get $step))))
          (local.set $step
            (f32x4.sub (v128.load offset=32 (local.get $mine)) (v128.load offset=32 (local.get $other))))
          (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $step) (local.get $step))))
          (local.set $step
            (f32x4.sub (v128.load offset=48 (local.get $mine)) (v128.load offset=48 (local.get $other))))
          (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $step) (local.get $step))))
          (local.set $mine (i32.add (local.get $mine) (i32.const 64)))
          (local.set $other (i32.add (local.get $other) (i32.const 64)))
          (br_if $columns (i32.lt_u (local.get $other) (local.get $other_end))))

        ;; The sixteen partial sums are added up as 64-bit floats.
        (local.set $a (f64x2.add
          (f64x2.add
            (f64x2.add
              (f64x2.promote_low_f32x4 (local.get $a))
              (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15
                (local.get $a) (local.get $a))))
            (f64x2.add
              (f64x2.promote_low_f32x4 (local.get $b))
              (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15
                (local.get $b) (local.get $b)))))
          (f64x2.add
            (f64x2.add
              (f64x2.promote_low_f32x4 (local.get $c))
              (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15
                (local.get $c) (local.get $c))))
            (f64x2.add
              (f64x2.promote_low_f32x4 (local.get $d))
              (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15
                (local.get $d) (local.get $d)))))))
        (f64.store (local.get $out)
          (f64.add (f64x2.extract_lane 0 (local.get $a)) (f64x2.extract_lane 1 (local.get $a))))

        (local.set $list (i32.add (local.get $list) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 8)))
        (br $others)))))
