using System;
using Draw = System.Drawing;

namespace Example.Shapes;

/// <summary>A shape.</summary>
[Serializable]
public abstract partial class Shape<T> : Base, IShape where T : new()
{
    public const int Limit = 100;
    private int width, height = 2;
    public event EventHandler Resized;

    public string Name { get; set; } = "none";
    public int Sides => 4;
    public int this[int index] { get { return index; } }

    static Shape() { }
    public Shape(int width) : base(width) { int local = 1; }
    ~Shape() { }

    // Its area.
    public abstract double Area();
    double IShape.Area(int scale) => scale;
    public static Shape<T> operator +(Shape<T> a, Shape<T> b) => a;
    public static implicit operator int(Shape<T> shape) => 1;

    public void Walk()
    {
        void Inner(int x) { }
        Inner(1);
    }

    public delegate void Handler(object sender);
#if DEBUG
    public void Trace() { }
#endif

    private struct Corner { public int X; }
}

public partial class Shape<T> { public void Grow() { } }
public record Point(int X, int Y);
public enum Color : byte { Red, Green = 2 }
public interface IShape { double Area(int scale); string Name { get; } }
